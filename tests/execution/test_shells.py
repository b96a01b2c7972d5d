"""Bash and zsh on real kernels: state, lines, questions, and every way to end."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import InputRequest
from playhead.domain.execution import RunRequest
from playhead.execution.process_executor import ProcessExecutor
from tests.support.kernels import error_of, executor, lines_of, report_of, request, run, text_of
from tests.support.waiting import until

zsh = [pytest.mark.slow_group("languages"), pytest.mark.requires_system("zsh")]
SHELLS = [
    pytest.param("bash", marks=pytest.mark.requires_system("bash")),
    pytest.param("zsh", marks=zsh),
]
both = pytest.mark.parametrize("shell", SHELLS)


class Talk:
    """One shell of one executor, spoken to block by block."""

    def __init__(self, made: ProcessExecutor, folder: Path, shell: str) -> None:
        self.made = made
        self.folder = folder
        self._shell = shell
        self._count = 0

    def block(self, code: str, shows_lines: bool = True) -> RunRequest:
        """A request for the code, each with a run of its own."""
        self._count += 1
        asked = request(self.folder, code, f"run-{self._count}")
        return replace(asked, language=self._shell, shows_lines=shows_lines)

    async def run(self, code: str) -> list[Chunk]:
        """All chunks of a block."""
        return await run(self.made, self.block(code))

    async def text(self, code: str) -> str:
        """What a block prints."""
        return text_of(await self.run(code))

    async def status(self, code: str) -> int | None:
        """The exit status of a block that ends by itself."""
        report = report_of(await self.run(code))
        assert report.state == "finished"
        return report.exit_status

    async def stop(self, code: str, line: int = 1, *, ready: str = "") -> list[Chunk]:
        """Run until the line is lit and the text has come, then stop."""
        chunks: list[Chunk] = []
        is_lit = has_stopped = False
        async with aclosing(self.made.run(self.block(code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                is_lit = is_lit or chunk.content == line
                if is_lit and ready in text_of(chunks) and not has_stopped:
                    has_stopped = True
                    await self.made.interrupt("conversation")
        return chunks


def talk(made: ProcessExecutor, folder: Path, shell: str) -> Talk:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    return Talk(made, work, shell)


STATE = """\
cd sub
count=5; list=(one "two three"); export SHOWN=yes; typeset -r FIXED=1
typeset -A map; map[key]='x y'
greet() { echo "hello $1"; }
alias hey='echo hey'
set -o pipefail
umask 027"""
ASKED = """\
echo "${PWD##*/} $count ${list[@]} ${map[key]} $FIXED $(umask)"; greet you
hey
env | grep ^SHOWN=; false | true || echo pipefail"""
TOLD = "sub 5 one two three x y 1 0027\nhello you\nhey\nSHOWN=yes\npipefail\n"


@both
async def test_all_that_a_shell_knows_lives_on_even_through_exit(
    tmp_path: Path, shell: str
) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        (sh.folder / "sub").mkdir()
        assert await sh.text(STATE) == ""
        assert (await sh.text(ASKED)).replace("umask 027", "0027") == TOLD.replace(
            "0027", "0027" if shell == "bash" else "027"
        )
        first = await sh.text("echo $$")
        assert await sh.status("exit 3") == 3
        assert await sh.text("echo $?") == "3\n"
        assert (await sh.text(ASKED)).startswith("sub 5 one two three x y 1")
        assert await sh.text("echo $$") != first


@both
async def test_what_fails_tells_block_and_line_and_shows_no_path_of_ours(
    tmp_path: Path, shell: str
) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        chunks = await sh.run("echo one\nnot-there\n")
        at = "line 2: not-there: command not found"
        if shell == "zsh":
            at = "2: command not found: not-there"
        assert text_of(chunks) == f"one\n<block 1>:{' ' if shell == 'bash' else ''}{at}\n"
        assert (report_of(chunks).state, report_of(chunks).exit_status) == ("finished", 127)
        assert error_of(chunks) is None
        assert await sh.text('echo "$0" $?') in ("bash 127\n", "<block 2> 127\n")


UNREADABLE = {
    "a quote": ("touch made\necho 'open\n", 2),
    "a loop": ("touch made\nfor i in 1 2; do\n  echo $i\n", 3),
    "a bracket": ("touch made\necho $(date\n", 2),
    "a word too many": ("touch made\nfi\n", 2),
}


@both
async def test_of_a_block_that_cannot_be_read_nothing_runs(tmp_path: Path, shell: str) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        for code, line in UNREADABLE.values():
            chunks = await sh.run(code)
            error = error_of(chunks)
            assert error is not None
            assert error.name == "SyntaxError"
            assert error.message
            assert [(f.file, f.line) for f in error.frames] == [("", line)], code
            assert report_of(chunks).exit_status == 2
            assert "__ph" not in text_of(chunks)
            assert str(tmp_path) not in text_of(chunks)
        assert not (sh.folder / "made").exists()
        assert await sh.text("echo alive") == "alive\n"


@both
async def test_a_here_document_reaches_its_command(tmp_path: Path, shell: str) -> None:
    code = 'name=you\ncat <<EOF | tr a-z A-Z\nhello $name\nEOF\necho "x\ny"\ncat <<< z'
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        assert await sh.text(code) == "HELLO YOU\nx\ny\nz\n"
        assert "unended" in await sh.text("cat <<EOF\nunended")
        assert await sh.text("echo carriage\r\necho return\r\n") == "carriage\nreturn\n"


LINES = """\
echo a; echo a
( echo b
  echo c )
x=$(echo d
echo e)
f() {
  echo g
}
f
echo h | cat"""


@both
async def test_lines_are_lit_in_the_order_in_which_they_run(tmp_path: Path, shell: str) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        chunks = await sh.run(LINES)
        shown = [c.content for c in chunks if c.type == "console" and c.format and c.content]
        assert shown[:2] == [1, "a\na\n"]
        assert shown[-2:] == [10, "h\n"]
        assert shown[shown.index("g\n") - 1] == 7
        assert {1, 2, 3, 5, 7, 9, 10} <= set(lines_of(chunks))
        earlier = await sh.run("true\nf")
        assert lines_of(earlier) == [1, 2, None]
        quiet = await run(made, sh.block("echo a\necho b", shows_lines=False))
        assert lines_of(quiet) == [None]
        assert text_of(quiet) == "a\nb\n"


HOT = """\
i=0
while ((i < 20000)); do
  i=$((i + 1))
  x=$i
done
sleep 0.2
echo end"""


@both
async def test_the_line_moves_in_a_loop_of_many_short_commands(tmp_path: Path, shell: str) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        chunks = await sh.run(HOT)
        lines = [line for line in lines_of(chunks) if isinstance(line, int)]
        assert {2, 3, 4, 6} <= set(lines)
        assert lines.index(6) > len(lines) - 4
        assert len(lines) < 2000
        # Nothing of the watching is left over for the next block.
        assert text_of(chunks) == "end\n"
        assert await sh.text('case $- in *x*) echo traced ;; esac; echo "$i"') == "20000\n"


HOT_THEN_ELSEWHERE = """\
i=0
while ((i < 2000)); do
  i=$((i + 1))
done
f() {
  x=1
  y=2
}
f
%s
z=1
echo end""" % ("\n" * 60)


@pytest.mark.requires_system("zsh")
@pytest.mark.slow_group("languages")
async def test_a_hot_loop_hides_no_line_that_comes_after_it(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, "zsh")
        chunks = await sh.run(HOT_THEN_ELSEWHERE)
        assert {5, 6, 7, 9, 71, 72} <= set(lines_of(chunks))
        assert text_of(chunks) == "end\n"


@both
async def test_read_asks_in_the_timeline_unless_something_else_feeds_it(
    tmp_path: Path, shell: str
) -> None:
    read = {
        "bash": 'read -p "Your \\"name\\"? " -r name\nread -rsp "Secret: " word',
        "zsh": 'read -r "name?Your \\"name\\"? "\nread -rs "word?Secret: "',
    }[shell]
    code = f"""\
printf 'a\\nb\\n' | while read -r item; do echo "[$item]"; done
read -r line < <(echo redirected); echo "$line"
{read}
echo "<$name> <$word>"
read -r next; echo "$next"; cat"""
    asked: list[InputRequest] = []
    chunks: list[Chunk] = []
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        async with aclosing(made.run(sh.block(code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if not isinstance(chunk.content, InputRequest):
                    continue
                asked.append(chunk.content)
                if len(asked) == 3:  # more than is asked for: the rest is for the child
                    await made.send_text("conversation", "first\nfor cat\n", is_end=True)
                else:
                    await made.answer_input("conversation", chunk.content.id, f"é {len(asked)}")
    assert [(q.prompt, q.is_secret) for q in asked] == [
        ('Your "name"? ', False),
        ("Secret: ", True),
        ("", False),
    ]
    assert len({q.id for q in asked}) == 3
    assert text_of(chunks) == "[a]\n[b]\nredirected\n<é 1> <é 2>\nfirst\nfor cat\n"


_TRIES = 5
"""A shell that is too slow to stop is replaced by one with its names, on a busy machine any."""
ENDLESS = {
    "sleep": ("sleep 600", 1),
    "busy loop": ("true\nwhile :; do :; done", 2),
    "flood": ("true\nyes", 2),
    "pipeline": ("yes | cat | cat >/dev/null", 1),
    "substitution": ("true\nx=$(sleep 600)", 2),
    "question": ("true\nread name", 2),
    "deep in functions": ("true\nouter", 2),
    "subshell": ("( sleep 600; sleep 600 )", 1),
    "deaf child": ("(trap '' INT; sleep 600; sleep 600)", 1),
}


@both
async def test_stop_ends_it_at_its_line_and_the_same_shell_goes_on(
    tmp_path: Path, shell: str
) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        await sh.run("kept=name\ninner() { while :; do sleep 0.05; done; }\nouter() { inner; }")
        pid = (await sh.text("echo $$")).split()[-1]
        for what, (code, line) in ENDLESS.items():
            for _ in range(_TRIES):
                report = report_of(await sh.stop(code + "\necho NOT REACHED > reached", line))
                assert (report.state, report.line) == ("interrupted", line), what
                assert report.end is None, what
                before, answer = pid, await sh.text("echo $kept $$")
                name, pid = answer.split()[-2:]
                assert name == "name", what
                if pid == before:
                    break
            else:
                pytest.fail(f"{what}: no stop of {_TRIES} left the same shell")
        assert not (sh.folder / "reached").exists()


STUBBORN = {
    "ignored": "trap '' INT\necho ready\nwhile :; do :; done",
    "caught": "trap 'echo caught' INT\necho ready\nwhile :; do sleep 0.05; done",
}


@both
@pytest.mark.parametrize("how", STUBBORN)
async def test_a_shell_that_does_not_listen_ends_with_its_names_kept(
    tmp_path: Path, shell: str, how: str
) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        await sh.run("kept=name")
        chunks = await sh.stop(STUBBORN[how], 3, ready="ready")
        report = report_of(chunks)
        assert (report.state, report.line) == ("interrupted", 3)
        assert await sh.text("trap - INT; echo $kept") == "name\n"
        assert report_of(await sh.stop("sleep 600")).state == "interrupted"


@both
async def test_a_server_of_an_earlier_block_outlives_a_stop(tmp_path: Path, shell: str) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        server = int(await sh.text("sleep 600 >/dev/null 2>&1 & echo $!"))
        child = "sleep 600 & echo $!; sleep 600"
        chunks = await sh.stop(child, ready="\n")
        started = int(text_of(chunks))
        await until(lambda: not _lives(started))
        assert _lives(server)
        assert report_of(await sh.stop("wait")).state == "interrupted"
    await until(lambda: not _lives(server))


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except OSError:
        return False


@both
async def test_strict_scripts_end_their_block_and_nothing_else(tmp_path: Path, shell: str) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        assert await sh.status("set -e\nkept=1\nfalse\ntouch reached") == 1
        assert await sh.text("set +e; echo $kept") == "1\n"
        code = "set -euo pipefail\ntrap 'echo cleaned' EXIT\nx=2\nfalse\ntouch reached"
        chunks = await sh.run(code)
        assert (text_of(chunks), report_of(chunks).exit_status) == ("cleaned\n", 1)
        assert await sh.text("set +eu; set +o pipefail; echo $x") == "2\n"
        chunks = await sh.run("set -u\necho $missing\ntouch reached")
        assert "missing" in text_of(chunks)
        assert report_of(chunks).exit_status not in (0, None)
        assert await sh.text("set +u; echo on") == "on\n"
        assert not (sh.folder / "reached").exists()
        assert await sh.status("return 4") == 4
        assert await sh.status("(exit 5)") == 5


@both
async def test_redirections_and_exec_spoil_only_their_own_block(tmp_path: Path, shell: str) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        assert await sh.text("kept=1; exec >file 2>&1; echo hidden") == ""
        assert await sh.text("cat file") == "hidden\n"
        assert await sh.text("exec >&- 2>&-") == ""
        assert await sh.text("echo shown; exec </dev/null") == "shown\n"
        chunks = await sh.run("true\nexec sh -c 'echo other; exit 6'")
        assert (text_of(chunks), report_of(chunks).exit_status) == ("other\n", 6)
        assert await sh.text("echo $kept") == "1\n"
        assert await sh.text("exec 3>&1 9>&1; echo to three >&3") == "to three\n"


@both
async def test_a_crash_of_the_shell_is_told_and_that_of_a_child_is_a_status(
    tmp_path: Path, shell: str
) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        assert await sh.status("ulimit -c 0; sh -c 'kill -SEGV $$'") == 139
        chunks = await sh.run("lost=1; cd /; kill -9 $$")
        assert "ended by signal 9" in text_of(chunks)
        assert "its variables were lost" in text_of(chunks)
        assert report_of(chunks).exit_status == 137
        assert await sh.text('echo "<$lost> ${PWD##*/}"') == "<> work\n"


@both
async def test_a_trace_that_is_wanted_shows_the_block_and_nothing_of_ours(
    tmp_path: Path, shell: str
) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, shell)
        text = await sh.text("set -x\necho one\ntrue two\n")
        assert "echo one" in text
        assert "true two" in text
        assert "__ph" not in text
        assert await sh.text("set +x 2>/dev/null; echo $-") is not None
        assert await sh.text("echo quiet") == "quiet\n"


@both
async def test_children_get_few_descriptors_and_no_word_of_ours(tmp_path: Path, shell: str) -> None:
    code = "python3 -c \"import os; print(len(os.listdir('/proc/self/fd')))\"; env"
    async with executor(tmp_path) as made:
        text = await talk(made, tmp_path, shell).text(code)
    count, _, names = text.partition("\n")
    assert int(count) - 1 <= (4 if shell == "bash" else 3)
    assert "PLAYHEAD_SPOOL" not in names
    assert "__ph" not in names


@both
async def test_a_flood_runs_to_its_end(tmp_path: Path, shell: str) -> None:
    code = 'for ((i = 0; i < 20000; i++)); do\n  echo "line $i"\ndone\necho last'
    async with executor(tmp_path) as made:
        text = await talk(made, tmp_path, shell).text(code)
    assert text.startswith("line 0\nline 1\n")
    assert text.endswith("line 19999\nlast\n")


@pytest.mark.requires_system("bash")
async def test_traps_of_the_user_work_as_they_would_alone(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        sh = talk(made, tmp_path, "bash")
        code = "trap 'echo failed at $LINENO' ERR\ntrue\nfalse\nmkdir -p a/b && cd $_ && pwd"
        text = await sh.text(code)
        assert text == f"failed at 3\n{sh.folder}/a/b\n"
        assert await sh.text("trap - ERR; trap 'echo usr' USR1; kill -USR1 $$") == "usr\n"
        assert await sh.text("kill -USR1 $$; exit") == "usr\n"
        assert await sh.text("kill -USR1 $$") == "usr\n"


@pytest.mark.requires_system("bash")
async def test_the_words_for_a_shell_mean_the_best_that_is_there(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        assert [made.canonical(word) for word in ("sh", "shell", "bash")] == ["bash"] * 3
