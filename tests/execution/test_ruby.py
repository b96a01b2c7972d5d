"""Ruby on real kernels: state, lines, values, questions, and every way to end."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import InputRequest, LineTiming
from playhead.domain.execution import RunRequest
from playhead.execution.process_executor import ProcessExecutor
from tests.support.kernels import error_of, executor, lines_of, report_of, request, run, text_of

pytestmark = [pytest.mark.slow_group("languages"), pytest.mark.requires_system("ruby")]


def block(folder: Path, code: str) -> RunRequest:
    return replace(request(folder, code), language="ruby")


async def run_and_stop(
    made: ProcessExecutor, folder: Path, code: str, line: int = 1
) -> list[Chunk]:
    """Run until that line is lit or a question is asked, then stop."""
    chunks: list[Chunk] = []
    async with aclosing(made.run(block(folder, code))) as stream:
        async for chunk in stream:
            if chunk.content == line or chunk.type == "input":
                await made.interrupt("conversation")
            chunks.append(chunk)
    return chunks


async def test_the_last_value_is_shown_and_names_live_on(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        silent = await run(made, block(tmp_path, "x = 41\n@y = 1\ndef more(n)\n  n + 1\nend"))
        assert text_of(silent) == ""
        assert made.status("conversation").language == "ruby"
        chunks = await run(made, block(tmp_path, 'puts "é"\nmore(x)'))
        assert text_of(chunks) == "é\n42\n"
        assert lines_of(chunks) == [1, 2, None]
        assert text_of(await run(made, block(tmp_path, "[local_variables, @y]"))) == "[[:x], 1]\n"
        assert text_of(await run(made, block(tmp_path, "[1].each { |n| puts n }\nnil"))) == "1\n"


async def test_prints_keep_their_place_among_the_lines_and_statements_have_times(
    tmp_path: Path,
) -> None:
    code = 'puts "one"\nsystem "echo two"\nwarn "three"\n[4, 5].each do |n|\n  puts n\nend'
    async with executor(tmp_path) as made:
        chunks = await run(made, block(tmp_path, code))
    shown = [c for c in chunks if c.type == "console" and c.format and c.content]
    at = [c.content for c in shown]
    assert at[:7] == [1, "one\n", 2, "two\n", 3, "three\n", 4]
    assert text_of(chunks) == "one\ntwo\nthree\n4\n5\n"
    times = [c.content for c in chunks if isinstance(c.content, LineTiming)]
    assert [(time.line, time.last_line) for time in times] == [(1, 1), (2, 2), (3, 3), (4, 6)]


async def test_statements_are_cut_where_ruby_can_read_both_sides(tmp_path: Path) -> None:
    code = (
        "# frozen_string_literal: true\n\nbegin\n  1\nrescue => e\n  2\nensure\n  3\nend\n"
        "a = <<~A; b = 8\n  text\nA\n\nc = [1]\n  .map { |n| n + b }\n"
        '# between\nputs a, c.inspect\nb /2\n"s".frozen?\n__END__\nnot ( ruby'
    )
    async with executor(tmp_path) as made:
        chunks = await run(made, block(tmp_path, code))
    assert text_of(chunks) == "text\n[9]\ntrue\n"
    assert lines_of(chunks) == [3, 10, 14, 17, 18, 19, None]


async def test_lines_inside_loops_and_functions_are_lit(tmp_path: Path) -> None:
    code = "def wait\n  sleep 0.3\nend\n2.times do\n  wait\nend"
    async with executor(tmp_path) as made:
        lines = lines_of(await run(made, block(tmp_path, code)))
        assert lines[:2] == [1, 4]
        assert 2 in lines
        assert lines_of(await run(made, block(tmp_path, "sleep 0.1\nwait")))[:2] == [1, 2]
        without = replace(block(tmp_path, code), shows_lines=False)
        assert lines_of(await run(made, without)) == [None]


async def test_errors_have_their_words_and_their_line(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, block(tmp_path, 'def half(n)\n  raise ArgumentError, "no #{n}"\nend'))
        chunks = await run(made, block(tmp_path, 'puts "a"\nhalf(3)\nputs "never"'))
        error = error_of(chunks)
        assert error is not None
        assert (error.name, error.message) == ("ArgumentError", "no 3")
        assert [frame.line for frame in error.frames] == [2]
        assert text_of(chunks).splitlines() == [
            "a",
            "block-1.rb:2:in `half': no 3 (ArgumentError)",
            "\tfrom block-2.rb:2:in `<main>'",
        ]
        deep = await run(made, block(tmp_path, "def f(n)\n  f(n + 1)\nend\nf(1)"))
        error = error_of(deep)
        assert error is not None
        assert error.name == "SystemStackError"
        assert len(text_of(deep).splitlines()) < 50
        shown = await run(
            made, block(tmp_path, "o = Object.new\ndef o.inspect\n  raise 'x'\nend\no")
        )
        assert error_of(shown) is not None


async def test_nothing_of_what_is_no_ruby_is_run(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, block(tmp_path, 'puts "never"\ny = (3 +\n'))
        error = error_of(chunks)
        assert error is not None
        assert error.name == "SyntaxError"
        assert [frame.line for frame in error.frames] == [2]
        assert "playhead" not in text_of(chunks)
        assert lines_of(chunks) == [1, None]
        broken = await run(made, block(tmp_path, 'x = "\udcff"\nx.valid_encoding?'))
        assert report_of(broken).state == "finished"
        missing = text_of(await run(made, block(tmp_path, 'require "nowhere/to_be_found"')))
        assert missing.endswith("If it is a gem: gem install nowhere\n")


async def test_questions_are_asked_in_the_timeline(tmp_path: Path) -> None:
    code = (
        'print "Who? "\nname = gets.chomp\nline = STDIN.gets(chomp: true)\nputs "#{name} #{line}"'
    )
    async with executor(tmp_path) as made:
        answers = ["Zoë", "one"]
        asked: list[str] = []
        chunks: list[Chunk] = []
        async with aclosing(made.run(block(tmp_path, code))) as stream:
            async for chunk in stream:
                if isinstance(chunk.content, InputRequest):
                    asked.append(chunk.content.prompt)
                    await made.answer_input("conversation", chunk.content.id, answers.pop(0))
                chunks.append(chunk)
        assert asked == ["Who? ", ""]
        assert text_of(chunks).endswith("Zoë one\n")
        chunks = []
        async with aclosing(made.run(block(tmp_path, "system 'cat'\n$stdin.read"))) as stream:
            async for chunk in stream:
                if chunk.content == 1:
                    await made.send_text("conversation", "a\nb", is_end=True)
                chunks.append(chunk)
        assert text_of(chunks).startswith("a\nb")


@pytest.mark.parametrize(
    "code",
    [
        "sleep 60",
        "while true; end",
        'loop { puts "flood" }',
        'system("sleep 60"); puts "went on"',
        'system("yes")',
        "`sleep 60`",
        "gets",
        "Thread.new { sleep 60 }.join",
        "begin; sleep 60; rescue => e; puts 'went on'; end",
    ],
)
async def test_stop_ends_it_and_keeps_the_names(tmp_path: Path, code: str) -> None:
    async with executor(tmp_path) as made:
        await run(made, block(tmp_path, "answer = 42"))
        pid = made.status("conversation").pid
        chunks = await run_and_stop(made, tmp_path, code)
        assert (report_of(chunks).state, report_of(chunks).line) == ("interrupted", 1)
        assert "went on" not in text_of(chunks)
        # What a command printed until its own signal came may be told before.
        assert text_of(await run(made, block(tmp_path, "answer"))).endswith("42\n")
        assert made.status("conversation").pid == pid


async def test_exits_end_the_block_with_their_status_and_keep_the_names(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        code = 'x = 1\nat_exit { puts "bye" }\ndef leave\n  exit 3\nend\nleave\nputs "never"'
        chunks = await run(made, block(tmp_path, code))
        assert (report_of(chunks).exit_status, text_of(chunks)) == (3, "bye\n")
        chunks = await run(made, block(tmp_path, 'puts x\nabort "oh"'))
        assert (report_of(chunks).exit_status, text_of(chunks)) == (1, "1\noh\n")
        chunks = await run(made, block(tmp_path, "puts 1\nreturn\nputs 2"))
        assert (report_of(chunks).exit_status, text_of(chunks)) == (None, "1\n")


@pytest.mark.parametrize(
    ("code", "status", "text"),
    [
        ("exit! 4", 4, ""),
        ('exec "echo", "replaced"', 0, "replaced\n"),
        ("Process.kill(:KILL, Process.pid)\nsleep 1", 137, "Ruby ended by signal 9.\n"),
    ],
)
async def test_what_ends_the_program_is_said(
    tmp_path: Path, code: str, status: int, text: str
) -> None:
    async with executor(tmp_path) as made:
        await run(made, block(tmp_path, "x = 1"))
        chunks = await run(made, block(tmp_path, code))
        assert report_of(chunks).exit_status == status
        assert text_of(chunks) == text + "Ruby was restarted: its variables were lost.\n"
        assert text_of(await run(made, block(tmp_path, "defined?(x).inspect"))) == '"nil"\n'


async def test_what_a_block_leaves_behind_is_not_in_the_way(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        code = "Thread.new { loop { sleep 0.01 } }\n$stdout.sync = false\nSTDOUT.close"
        await run(made, block(tmp_path, code))
        chunks = await run(made, block(tmp_path, 'print "x"\n1'))
        assert text_of(chunks) == "x1\n"
        await run(made, block(tmp_path, 'STDOUT.reopen("o.txt", "w")\ntrap("INT", "IGNORE")'))
        assert text_of(await run(made, block(tmp_path, "puts 2"))) == "2\n"
        code = 'if fork.nil?\n  puts "copy"\n  exit 0\nend\nProcess.wait\nputs "first"'
        chunks = await run(made, block(tmp_path, code))
        assert text_of(chunks) == "copy\nfirst\n"
        assert report_of(chunks).exit_status is None


async def test_stop_ends_the_threads_of_the_block_and_no_others(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, block(tmp_path, "kept = Thread.new { sleep }"))
        printing = "begun = Thread.new { loop { puts 1 } }\nbegun.join"
        assert report_of(await run_and_stop(made, tmp_path, printing, 2)).state == "interrupted"
        chunks = await run(made, block(tmp_path, "[kept.alive?, begun.join(9).nil?]"))
        assert text_of(chunks) == "[true, false]\n"
