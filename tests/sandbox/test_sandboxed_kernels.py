"""Kernels in the sandbox: they work as outside, see what they may, and never start without it."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
import venv
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.payloads import FileChanges, RunEnd
from playhead.domain.text.file_effects import limits_text
from playhead.domain.trust import NetworkAccess, Policy, Reach
from playhead.errors import ExecutionError
from playhead.execution.keeping.variable_keeper import Saving, VariableKeeper
from playhead.providers.transcript import describe_file_changes
from playhead.sandbox.bubblewrap import Availability, look_for_sandbox
from playhead.sandbox.sandbox import PrivatePlaces, Sandbox
from playhead.session.trust.grant_book import ConversationGrants, GrantBook
from playhead.storage.variable_store import VariableStore
from tests.support.jupyter import described
from tests.support.kernels import error_of, lines_of, report_of, run, text_of
from tests.support.ports import (
    RecordingExecutor,
    ReportedSandbox,
    ScriptedProvider,
    ports_with,
)
from tests.support.sandboxes import Place
from tests.support.waiting import until

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's"),
    pytest.mark.requires_system("bwrap"),
]
NOBODY = 1 << 30
"""An id that no process ever has."""
REAL_PYTHON = os.path.realpath(sys.executable)
FOLDER, LOOK = Policy(files="folder", network="off"), Policy(files="look", network="off")
BACKEND = """
import zipfile
NAME = "tiny-1-py3-none-any.whl"
def build_wheel(folder, settings=None, metadata=None):
    with zipfile.ZipFile(folder + "/" + NAME, "w") as file:
        file.writestr("tiny.py", "")
        about = "tiny-1.dist-info/"
        file.writestr(about + "METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n")
        file.writestr(about + "WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        file.writestr(about + "RECORD", "")
    return NAME
"""
"""Builds a wheel of one empty module, without any package of others."""


@pytest.fixture(autouse=True, scope="module")
def _namespaces() -> None:
    found = look_for_sandbox()
    if problem := found.problem or found.weakness:
        pytest.skip(f"no sandbox here: {problem}")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def granted_in(place: Place, sandbox: Sandbox) -> ConversationGrants:
    """The grants of a conversation with the working folder of the place."""
    ports = ports_with(ScriptedProvider(), RecordingExecutor(), ReportedSandbox())
    ports = replace(ports, sandbox=sandbox)
    return ConversationGrants(
        GrantBook(), ports, "conversation", lambda: str(place.folder), lambda: FOLDER, lambda: None
    )


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


async def test_code_works_in_its_folder_and_sees_nothing_else_of_the_person(place: Place) -> None:
    (place.folder / ".git" / "hooks").mkdir(parents=True)
    (place.folder / ".git" / "config").write_text("[core]\n")
    async with place.executor(place.sandbox()) as made:
        chunks = await run(
            made,
            place.request(
                "import os, pathlib, subprocess\n"
                "open('made.txt', 'w').write('x')\n"
                "pathlib.Path.home().joinpath('.cache').mkdir(exist_ok=True)\n"
                "print(os.path.exists('../diary.txt'), os.getcwd(), os.getpid())\n"
                "print(subprocess.run(['id', '-u'], capture_output=True, text=True).stdout)\n"
                "for path in ('.git/hooks/post-commit', '.git/config', '/usr/x', '/x'):\n"
                "    try: open(path, 'a'); print('wrote', path)\n"
                "    except OSError as error: print(error.strerror)\n"
                "open('.git/HEAD', 'w').write('x')\n"
                "try: os.rename('.git', 'other')\n"
                "except OSError as error: print(error.strerror)\n"
            ),
        )
        words = text_of(chunks)
        assert f"False {place.folder} 2\n{os.getuid()}\n" in words
        assert words.count("Read-only file system") == 4
        assert "busy" in words
        assert "wrote" not in words
        assert error_of(chunks) is None
        assert (place.folder / "made.txt").read_text() == "x"
        assert not (place.home / ".cache").exists()
        again = await run(
            made, place.request("print(pathlib.Path.home().joinpath('.cache').exists())")
        )
        assert text_of(again) == "True\n"


async def test_what_a_person_attaches_can_be_read_and_nothing_beside_it(place: Place) -> None:
    papers, inside = place.home / "papers", place.folder / "inside.csv"
    papers.mkdir()
    (papers / "sales.csv").write_text("70")
    (papers / "other.csv").write_text("71")
    inside.write_text("72")
    (place.data / "output").mkdir(parents=True)
    (place.data / "history").write_text("private")
    (place.home / "link.csv").symlink_to(place.home / "diary.txt")
    given = [papers / "sales.csv", inside, place.home, place.data / "history"]
    given += [place.home / "link.csv", place.home / "no.csv"]
    code = (
        f"for path in {[*map(str, given), str(papers / 'other.csv')]!r}:\n"
        "    try: print(open(path).read(), end=' ')\n"
        "    except OSError as error: print(error.errno, end=' ')\n"
        f"open({str(inside)!r}, 'w').write('73')\n"
        f"open({str(papers / 'sales.csv')!r}, 'a')\n"
    )
    sandbox = place.sandbox()
    possible = granted_in(place, sandbox)
    for path in given:
        possible.attach(str(path))
    async with place.executor(sandbox) as made:
        await made.set_reach("conversation", possible.reach)
        chunks = await run(made, place.request(code))
        assert text_of(chunks).startswith("70 72 21 2 2 2 2 ")
        assert "Read-only file system" in str(error_of(chunks))
        assert inside.read_text() == "73"
        possible.attach(str(papers / "other.csv"))
        await made.set_reach("conversation", possible.reach)
        more = place.request(f"print(open({str(papers / 'other.csv')!r}).read())")
        assert text_of(await run(made, more)) == "71\n"


async def test_what_code_writes_to_its_own_home_is_said(place: Place) -> None:
    code = (
        "import os, pathlib\n"
        "home = pathlib.Path.home()\n"
        "for name in ('sales.csv', 'Desktop/a/b.txt', '.cache/seen'):\n"
        "    (home / name).parent.mkdir(parents=True, exist_ok=True)\n"
        "    (home / name).write_text('x')\n"
    )
    async with place.executor(place.sandbox()) as made:
        changes = [chunk.content for chunk in await run(made, place.request(code))]
        [found] = [one for one in changes if isinstance(one, FileChanges)]
        assert found.elsewhere == ("~/sales.csv", "~/Desktop/a/b.txt")
        assert limits_text(found) == [
            "In the sandbox's own home, not in yours: ~/sales.csv, ~/Desktop/a/b.txt."
        ]
        assert "copy it into the working folder" in describe_file_changes(found)
        written = time.time()
        await until(lambda: time.time() > written + 0.1)  # stamps of files lag behind the clock
        later = await run(made, place.request("print((home / 'sales.csv').read_text())"))
        assert not [one for one in later if isinstance(one.content, FileChanges)]
        await run(made, place.request("for n in range(150): (home / f'{n}').write_text('x')"))
        written = time.time()
        await until(lambda: time.time() > written + 0.1)
        again = await run(made, place.request("(home / 'Desktop/a/b.txt').write_text('y')"))
        [found] = [one.content for one in again if isinstance(one.content, FileChanges)]
        assert found.elsewhere == ("~/Desktop/a/b.txt",)
        outside = await run(made, place.request("1", Policy()))
        assert not [one for one in outside if isinstance(one.content, FileChanges)]
    assert not [*place.home.rglob("kernel-*")]


LOOK_AROUND = """
import os
def can(path, mode):
    try:
        with open(path, mode) as file: return file.read() if mode == "r" else "wrote"
    except OSError as error: return error.strerror
print(can("../shown/a.txt", "r"), can("../shown/a.txt", "a"), sep=", ")
out = [("new.txt", "x"), (".git/config", "a"), ("old/x", "r")]
print(*[can(f"../out/{name}", mode) for name, mode in out], sep=", ")
print(can("private/b.txt", "r"), can("../diary.txt", "r"), os.environ.get("MY_TOKEN"), sep=", ")
"""


async def test_code_reaches_what_was_granted_and_not_what_was_denied(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "t-1")
    for path in ("shown/a.txt", "out/.git/config", "out/old/x", "work/private/b.txt"):
        (place.home / path).parent.mkdir(parents=True)
        (place.home / path).write_text(path)
    reach = Reach(
        readable=(str(place.home / "shown"),),
        writable=(str(place.home / "out"),),
        hidden=(str(place.home / "out" / "old"), str(place.folder / "private")),
        variables=("MY_TOKEN",),
    )
    async with place.executor(place.sandbox()) as made:
        await run(made, place.request("kept = 1"))
        assert made.takes("conversation", Reach(variables=("MY_TOKEN",)))
        await made.set_reach("conversation", Reach(variables=("MY_TOKEN",)))
        seen = place.request("import os; print(kept, os.environ['MY_TOKEN'])")
        assert text_of(await run(made, seen)) == "1 t-1\n"
        assert made.takes("conversation", reach)
        await made.set_reach("conversation", reach)
        read_only, missing = "Read-only file system", "No such file or directory"
        assert text_of(await run(made, place.request(LOOK_AROUND))).splitlines() == [
            f"shown/a.txt, {read_only}",
            f"wrote, {read_only}, {missing}",
            f"{missing}, {missing}, t-1",
        ]
        await made.set_reach("conversation", Reach())
        assert text_of(await run(made, place.request("print(kept)"))) == "1\n"
        last = text_of(await run(made, place.request(LOOK_AROUND))).splitlines()
        assert [last[0].split(", ")[0], last[2]] == [
            missing,
            f"work/private/b.txt, {missing}, None",
        ]
    assert (place.home / "shown" / "a.txt").read_text() == "shown/a.txt"
    assert (place.home / "out" / "new.txt").exists()


async def test_what_would_show_everything_is_not_granted(place: Place) -> None:
    sandbox, home = place.sandbox(), str(place.home)
    folder = str(place.folder)
    for path in (home, "/", f"{home}/data", f"{home}/data/homes", "/proc"):
        assert sandbox.why_not_reach(Reach(readable=(path,)), folder) is not None, path
    assert sandbox.why_not_reach(Reach(readable=(f"{home}/other",)), folder) is None
    assert sandbox.why_not_reach(Reach(writable=(folder,)), folder) is not None
    assert sandbox.why_not_reach(Reach(hidden=(folder,)), folder) is not None


async def test_the_python_of_a_folder_runs_only_inside(place: Place) -> None:
    """Its supervisor is outside, and must not be it."""
    environment = place.folder / ".venv"
    library = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    (environment / library).mkdir(parents=True)
    (environment / "bin").mkdir()
    (environment / "bin" / "python").symlink_to(REAL_PYTHON)
    (environment / "pyvenv.cfg").write_text(f"home = {sys.base_prefix}/bin\n")
    planted = "import os; open(os.path.expanduser('~/planted'), 'w').write(str(os.getpid()))\n"
    (environment / library / "planted.pth").write_text(planted)
    async with place.executor(place.sandbox()) as made:
        code = "import os, sys; print(sys.prefix, open(os.path.expanduser('~/planted')).read())"
        wanted = replace(place.request(code), interpreter=str(environment / "bin" / "python"))
        assert text_of(await run(made, wanted)) == f"{environment} 2\n"
    assert not (place.home / "planted").exists()


async def test_with_look_only_nothing_of_the_folder_changes(place: Place) -> None:
    (place.folder / "data.csv").write_text("a,b\n")
    async with place.executor(place.sandbox()) as made:
        chunks = await run(
            made, place.request("print(open('data.csv').read())\nopen('x', 'w')", LOOK)
        )
        assert text_of(chunks).startswith("a,b")
        assert error_of(chunks) is not None
    assert sorted(os.listdir(place.folder)) == ["data.csv"]


async def test_another_policy_has_another_kernel_which_is_reported(place: Place) -> None:
    everything = Policy()
    async with place.executor(place.sandbox()) as made:
        await run(made, place.request("x = 1"))
        kept = await run(made, place.request("print(x)", replace(FOLDER, ask="risky")))
        assert text_of(kept) == "1\n"
        outside = await run(
            made, place.request("print('x' in dir(), open('../diary.txt').read())", everything)
        )
        assert text_of(outside) == "False secret\n"
        inside = await run(made, place.request("import os; print(os.path.exists('../diary.txt'))"))
        assert text_of(inside) == "False\n"


async def test_what_a_killed_program_left_is_removed(place: Place) -> None:
    async with place.executor(place.sandbox()) as made:
        await run(made, place.request("1"))
        (own,) = (place.data / "output").glob("*/kernel-*")
        left = own.with_name(f"kernel-{NOBODY}-0")
        left.mkdir()
        (left / "file").touch()
        await made.prepare()
        assert own.is_dir()
        assert not left.exists()


async def test_stop_keeps_variables_and_a_signal_is_named(place: Place) -> None:
    async with place.executor(place.sandbox()) as made:
        await run(made, place.request("x = 5"))
        endless = place.request(
            "import time\nprint('on', flush=True)\nwhile True: time.sleep(0.01)"
        )
        task = asyncio.ensure_future(run(made, endless))
        await until(lambda: made.status("conversation").state == "busy")
        await asyncio.sleep(0.1)
        await made.interrupt("conversation")
        assert report_of(await task).state == "interrupted"
        assert text_of(await run(made, place.request("print(x)"))) == "5\n"
        left = place.request(
            "import subprocess; p = subprocess.Popen(['sleep', '55'], start_new_session=True)"
        )
        await run(made, left)
        pid = made.status("conversation").pid
        killed = await run(made, place.request("import os; os.kill(os.getpid(), 9)"))
        assert report_of(killed).end == RunEnd(kind="signalled", signal=9)
        assert pid is not None
        assert not is_there(pid)


async def test_bash_and_many_processes_work_inside(place: Place) -> None:
    async with place.executor(place.sandbox()) as made:
        said = text_of(
            await run(made, place.request("git init -q repo && ls -A repo; id -u", language="bash"))
        )
        assert said == f".git\n{os.getuid()}\n"
        pool = (
            "import multiprocessing as m\nprint(m.get_context('fork').Pool(2).map(abs, [-1, -2]))"
        )
        assert text_of(await run(made, place.request(pool))) == "[1, 2]\n"


async def test_commits_bear_the_name_of_the_person_and_no_more_of_the_file(place: Place) -> None:
    config = (
        '[user]\n\tname = Ada B. Lovelace\n\temail = "ada@example.org"\n[credential]\n\thelper = x'
    )
    (place.home / ".gitconfig").write_text(config)
    code = (
        "git init -q repo && cd repo && touch a && git add a && git commit -qm one"
        " && git log --format='%an %ae'; git config credential.helper || which python"
    )
    environment = place.home / "mine"
    venv.create(environment)
    async with place.executor(place.sandbox()) as made:
        wanted = replace(
            place.request(code, language="bash"), interpreter=str(environment / "bin" / "python")
        )
        said = text_of(await run(made, wanted))
        assert said == f"Ada B. Lovelace ada@example.org\n{environment}/bin/python\n"


async def test_no_file_in_the_private_home_holds_up_the_program_or_leads_it_away(
    place: Place,
) -> None:
    code = """
import os
os.chdir(os.path.expanduser("~"))
for name in (".packages-r/foo/DESCRIPTION", ".packages/bar-1.0.dist-info/METADATA"):
    os.makedirs(os.path.dirname(name))
    os.mkfifo(name)
os.makedirs(".packages-r/linked")
os.symlink("{home}/outside/DESCRIPTION", ".packages-r/linked/DESCRIPTION")
"""
    away = """
os.rename(".packages", "old"); os.rename(".packages-r", "old-r"); os.rename(".gitconfig", "o")
os.symlink("{home}/outside", ".packages"); os.mkfifo(".packages-r")
os.symlink("{home}/made", ".gitconfig")
"""
    (place.home / "outside" / "secret-1.0.dist-info").mkdir(parents=True)
    (place.home / "outside" / "secret-1.0.dist-info" / "METADATA").write_text("Name: secret")
    (place.home / "outside" / "DESCRIPTION").write_text("Version: 4711\n")
    (place.home / ".gitconfig").write_text("[user]\nname = Me\nemail = me@example.org\n")
    sandbox = place.sandbox()
    async with place.executor(sandbox) as made:
        chunks = await run(made, place.request(code.replace("{home}", str(place.home))))
        assert error_of(chunks) is None
        assert not [one for one in chunks if isinstance(one.content, FileChanges)]
        chunks = await run(made, place.request(away.replace("{home}", str(place.home))))
        assert error_of(chunks) is None
        assert sandbox.packages(str(place.folder)) == []
        await made.restart("conversation")
        assert text_of(await run(made, place.request("print(1)"))) == "1\n"
    assert not (place.home / "made").exists()


async def test_packages_go_into_the_private_home_of_the_folder(place: Place) -> None:
    package = place.folder / "tiny"
    package.mkdir()
    (package / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "build"\nbackend-path = ["."]\n'
    )
    (package / "build.py").write_text(BACKEND)
    async with place.executor(place.sandbox()) as made:
        chunks = await run(made, place.request("%pip install --no-build-isolation ./tiny"))
        assert error_of(chunks) is None, text_of(chunks)
        effects = [chunk.content for chunk in chunks if isinstance(chunk.content, FileChanges)]
        assert [one.installed for one in effects] == [("tiny 1",)]
        found = await run(made, place.request("import tiny; print(tiny.__file__)"))
        assert text_of(found) == f"{place.home}/.packages/tiny.py\n"
        refused = text_of(await run(made, place.request("%pip install tiny-that-is-nowhere")))
        assert "A person can allow pypi.org and files.pythonhosted.org" in refused
    assert not (place.home / ".packages").exists()


async def test_the_environment_is_a_list_of_what_is_let_in(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SETTING", "private")
    monkeypatch.setenv("DISPLAY", ":0")
    async with place.executor(place.sandbox()) as made:
        made.allow("conversation", "display")
        open_ones = "os.popen('ls -l /proc/$PPID/fd').read()"
        words = text_of(
            await run(made, place.request(f"import os; print(dict(os.environ), {open_ones})"))
        )
    assert "PLAYHEAD_CONTROL" not in words
    assert "socket" not in words
    assert "SOME_SETTING" not in words
    assert "DISPLAY" not in words
    assert f"'HOME': '{place.home}'" in words


async def test_nothing_is_started_where_there_is_no_sandbox(place: Place) -> None:
    async with place.executor(place.sandbox(missing="bubblewrap is missing.")) as made:
        with pytest.raises(
            ExecutionError, match=r"There is no sandbox.*bubblewrap is missing.*Get it"
        ):
            await run(made, place.request("open('made.txt', 'w')"))
    async with place.executor(None) as made:
        with pytest.raises(ExecutionError, match="no sandbox"):
            await run(made, place.request("open('made.txt', 'w')"))
    assert os.listdir(place.folder) == []


async def test_a_sandbox_that_fails_at_the_start_starts_nothing(place: Place) -> None:
    broken = place.home / "bwrap"
    broken.write_text("#!/bin/sh\necho bwrap: no namespaces today >&2\nexit 1\n")
    broken.chmod(0o700)
    sandbox = Sandbox(
        PrivatePlaces(home=str(place.home), homes=place.data / "homes"),
        lambda: Availability(program=str(broken)),
    )
    async with place.executor(sandbox) as made:
        with pytest.raises(
            ExecutionError, match=r"(?s)sandbox could not be made.*no namespaces today"
        ):
            await run(made, place.request("open('made.txt', 'w')"))
    assert os.listdir(place.folder) == []


async def test_a_folder_that_was_swapped_meanwhile_is_seen_and_nothing_runs(place: Place) -> None:
    other = place.home / "other"
    other.mkdir()
    swapping = place.home / "bwrap"
    swapping.write_text(
        f"""#!{REAL_PYTHON} -IS
import os, sys
found = sys.argv[1:]
at = found.index("{place.folder}")
found[at] = "{other}"
os.execv("{look_for_sandbox().program}", ["bwrap", *found])
"""
    )
    swapping.chmod(0o700)
    places = PrivatePlaces(home=str(place.home), homes=place.data / "homes")
    async with place.executor(Sandbox(places, lambda: Availability(program=str(swapping)))) as made:
        with pytest.raises(ExecutionError, match=r"(?s)sandbox could not be made.*not what it was"):
            await run(made, place.request("open('made.txt', 'w')"))
    assert os.listdir(other) == []


@pytest.mark.parametrize(
    ("where", "network", "words"),
    [
        ("", "off", "holds all your files"),
        ("data", "off", "Playhead itself, or its data"),
        ("data/output/x", "off", "in Playhead's data"),
        ("way", "off", "over a link"),
    ],
)
async def test_a_folder_or_a_network_that_cannot_be_held_is_refused(
    place: Place, where: str, network: NetworkAccess, words: str
) -> None:
    (place.data / "output" / "x").mkdir(parents=True)
    (place.home / "way").symlink_to(place.folder)
    async with place.executor(place.sandbox()) as made:
        wanted = place.request("print(1)", replace(FOLDER, network=network))
        with pytest.raises(ExecutionError, match=words):
            await run(made, replace(wanted, folder=str(place.home / where).rstrip("/")))


async def test_the_boundary_holds_here_and_takes_no_time(place: Place) -> None:
    sandbox = place.sandbox()
    heard: list[float] = []
    sandbox.subscribe(lambda report: heard.append(report.tested_at))
    left = place.home / f".playhead-test-{NOBODY}-of-one-that-was-killed"
    left.mkdir()
    before = time.time()
    report, same = await asyncio.gather(sandbox.test(), sandbox.test())
    assert report is same
    assert heard == [report.tested_at]
    assert report.tested_at >= before
    assert [one for one in report.attempts if one.outcome == "through"] == []
    assert report.status == ("partly" if os.geteuid() == 0 else "held")
    assert sorted(os.listdir(place.home)) == ["diary.txt", "work"]
    missing = place.sandbox(missing="bubblewrap is missing.")
    assert (await missing.test()).status == "none"
    assert re.search("missing", str(missing.why_not(FOLDER, str(place.folder))))


async def test_what_was_saved_in_the_sandbox_is_read_in_the_same_one_only(place: Place) -> None:
    store = VariableStore(place.data / "variables")
    keeper = VariableKeeper(store, lambda: Saving(restores="always"), idle_s=0.1)
    escape = f"open({str(place.home / 'out.txt')!r}, 'w').close()"
    trap = f"class Trap:\n  def __reduce__(self): return exec, ({escape!r},)\n"
    code = f"{trap}import os\nx, trap = [1], Trap()"
    async with place.executor(place.sandbox(), keeper) as made:
        await run(made, place.request(code))
        await until(lambda: store.read("conversation"))
        key = str(place.data / "variables" / "key")
        assert (
            text_of(await run(made, place.request(f"print(os.path.exists({key!r}))"))) == "False\n"
        )
        await made.restart("conversation")
        chunks = await run(made, place.request("print('x' in globals()); del x"))
        assert text_of(chunks) == "True\n"
        await run(made, place.request(code))
        await until(lambda: not keeper.is_waiting("conversation"))
        await made.restart("conversation")
        chunks = await run(made, place.request("print('x' in globals())", Policy()))
        assert text_of(chunks) == "False\n"
        back = made.status("conversation").brought_back
        assert back is not None
        assert {one.why for one in back.lost} == {"other_policy"}
    assert not (place.home / "out.txt").exists()


@pytest.mark.slow_group("jupyter")
async def test_a_kernel_of_jupyter_is_kept_to_the_folder_as_ours_is(place: Place) -> None:
    kernel = described(place.home / "kernels" / "python3")
    code = (
        "import os\nopen('here.txt', 'w').write('a')\nprint(os.path.exists('../diary.txt'))\n1 / 0"
    )
    async with place.executor(place.sandbox()) as made:
        chunks = await run(made, replace(place.request(f"{code}\n1 / 0"), interpreter=kernel.id))
    assert text_of(chunks).startswith("False\nTraceback")
    assert [line for line in lines_of(chunks) if line] == [1, 2, 3, 4]
    assert error_of(chunks) is not None
    assert (place.folder / "here.txt").exists()
    assert report_of(chunks).state == "finished"
