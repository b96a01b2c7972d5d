"""R on real kernels: state, lines, values, plots, questions, and every way to end."""

from __future__ import annotations

import os
from contextlib import aclosing
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import InputRequest, LineTiming, Table
from playhead.domain.execution import RunRequest
from playhead.execution.process_executor import ProcessExecutor
from tests.support.kernels import error_of, executor, lines_of, report_of, request, run, text_of

pytestmark = [pytest.mark.slow_group("languages"), pytest.mark.requires_system("Rscript")]


def block(folder: Path, code: str) -> RunRequest:
    return replace(request(folder, code), language="r")


def is_png(path: Path) -> bool:
    return path.read_bytes().startswith(b"\x89PNG")


async def run_and_stop(made: ProcessExecutor, folder: Path, code: str) -> list[Chunk]:
    """Run until it prints, asks or stands in its last line, then stop."""
    last_line = code.count("\n") + 1
    chunks: list[Chunk] = []
    async with aclosing(made.run(block(folder, code))) as stream:
        async for chunk in stream:
            if chunk.type == "input" or chunk.content == last_line or chunk.format == "output":
                await made.interrupt("conversation")
            chunks.append(chunk)
    return chunks


async def answered(made: ProcessExecutor, folder: Path, code: str, *answers: str) -> list[Chunk]:
    """Run, and answer the questions one after the other."""
    left = list(answers)
    chunks: list[Chunk] = []
    async with aclosing(made.run(block(folder, code))) as stream:
        async for chunk in stream:
            if isinstance(chunk.content, InputRequest):
                await made.answer_input("conversation", chunk.content.id, left.pop(0))
            chunks.append(chunk)
    return chunks


def order_of(chunks: list[Chunk]) -> list[str | int]:
    """Texts and lines, and in their places the words for what else is shown."""
    seen: list[str | int] = []
    for chunk in chunks:
        if chunk.format == "output" and seen and isinstance(seen[-1], str):
            seen[-1] += str(chunk.content)
        elif chunk.format == "output" or (chunk.format == "active_line" and chunk.content):
            assert isinstance(chunk.content, str | int)
            seen.append(chunk.content)
        elif chunk.type in ("image", "table") and chunk.content is not None:
            seen.append(chunk.type)
    return seen


async def test_values_are_printed_as_at_the_prompt_and_names_live_on(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, block(tmp_path, "x <- 41\nf <- function(n) n + 1"))
        assert made.status("conversation").language == "r"
        chunks = await run(made, block(tmp_path, 'f(x)\ninvisible(3)\n"é"; NULL\nls()'))
    assert text_of(chunks) == '[1] 42\n[1] "é"\nNULL\n[1] "f" "x"\n'
    assert lines_of(chunks) == [1, 2, 3, 3, 4, None]


async def test_prints_keep_their_place_among_the_lines_and_statements_have_times(
    tmp_path: Path,
) -> None:
    code = 'cat("one\\n")\nsystem("echo two")\nmessage("three")\nfor (i in 4:5) {\n  print(i)\n}'
    async with executor(tmp_path) as made:
        chunks = await run(made, block(tmp_path, code))
    assert order_of(chunks) == [1, "one\n", 2, "two\n", 3, "three\n", 4, 5, "[1] 4\n[1] 5\n"]
    times = [c.content for c in chunks if isinstance(c.content, LineTiming)]
    assert [(time.line, time.last_line) for time in times] == [(1, 1), (2, 2), (3, 3), (4, 6)]


async def test_slow_loops_are_lit_line_by_line_and_fast_ones_as_a_whole(tmp_path: Path) -> None:
    slow = "for (i in 1:2) {\n  Sys.sleep(0.01)\n  if (i > 1) {\n    j <- i\n  }\n}"
    fast = "k <- 0\nwhile (k < 1e5) {\n  k <- k + 1\n}\nk"
    async with executor(tmp_path) as made:
        assert lines_of(await run(made, block(tmp_path, slow))) == [1, 2, 3, 2, 3, 4, None]
        chunks = await run(made, block(tmp_path, fast))
        assert text_of(chunks) == "[1] 1e+05\n"
        assert lines_of(chunks)[-3:] == [2, 5, None]
        without = replace(block(tmp_path, slow), shows_lines=False)
        assert lines_of(await run(made, without)) == [None]


async def test_errors_have_their_words_and_their_line(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, block(tmp_path, "half <- function(x) {\n  stop('no ', x)\n}"))
        chunks = await run(made, block(tmp_path, "cat('a\\n')\nhalf(3)\ncat('never')"))
        assert text_of(chunks) == "a\nError in half(3) : no 3\n"
        error = error_of(chunks)
        assert error is not None
        assert (error.name, error.message) == ("Error", "no 3")
        assert [frame.line for frame in error.frames] == [2]
        assert report_of(chunks).state == "finished"
        missing = text_of(await run(made, block(tmp_path, 'readLines("not/there")')))
        assert "playhead" not in missing
        assert missing.startswith("Error in ")
        assert ".real_" not in missing
        inner = error_of(
            await run(made, block(tmp_path, "g <- function() {\n\n  log('a')\n}\ng()"))
        )
        assert inner is not None
        assert [frame.line for frame in inner.frames] == [3]


async def test_nothing_of_what_is_no_r_is_run(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, block(tmp_path, "cat('never')\ny <- (3 +\n"))
        error = error_of(chunks)
        assert error is not None
        assert "unexpected end of input" in error.message
        assert [frame.line for frame in error.frames] == [3]
        assert lines_of(chunks) == [None]
        broken = await run(made, block(tmp_path, "x <- '\udcff'\nnchar(x, 'bytes')"))
        assert report_of(broken).state == "finished"


async def test_warnings_come_after_their_statement(tmp_path: Path) -> None:
    code = 'f <- function() { warning("careful"); 7 }\nf()\nas.integer("x")\ncat("end\\n")'
    async with executor(tmp_path) as made:
        text = text_of(await run(made, block(tmp_path, code)))
        many = text_of(
            await run(made, block(tmp_path, "for (i in 1:12) warning(i)\nwarnings()[2]"))
        )
    assert text == (
        "[1] 7\nWarning message:\nIn f() : careful\n"
        "[1] NA\nWarning message:\nNAs introduced by coercion \nend\n"
    )
    assert many.startswith("There were 12 warnings (use warnings() to see them)\n")
    assert many.endswith("Warning message:\n2\n")


async def test_plots_stand_where_they_were_drawn(tmp_path: Path) -> None:
    code = (
        'plot(1:3)\nlines(3:1)\ncat("between\\n")\npar(mfrow = c(1, 2))\nplot(1)\nhist(1:9)\n'
        'cat("after\\n")\npar(mfrow = c(1, 1))'
    )
    async with executor(tmp_path) as made:
        chunks = await run(made, block(tmp_path, code))
        assert order_of(chunks) == [
            1,
            2,
            "image",
            3,
            "between\n",
            4,
            5,
            6,
            "image",
            7,
            "after\n",
            8,
        ]
        looped = 'for (i in 1:2) {\n  cat(i, "\\n")\n  plot(i)\n}'
        chunks = await run(made, block(tmp_path, looped))
        assert order_of(chunks).count("image") == 2
        own = 'png("own.png")\nplot(1)\ninvisible(dev.off())\nfile.exists("own.png")'
        assert order_of(await run(made, block(tmp_path, own))) == [1, 2, 3, 4, "[1] TRUE\n"]
        added = await run(made, block(tmp_path, "abline(h = 2)"))
    assert order_of(added) == [1, "image"]
    (path,) = (str(c.content) for c in added if c.type == "image" and c.content)
    assert is_png(Path(path))
    assert "Rplots.pdf" not in os.listdir(tmp_path)


async def test_plots_are_as_sharp_as_the_screen(tmp_path: Path) -> None:
    widths: list[int] = []
    async with executor(tmp_path) as made:
        for ratio in (1.0, 2.0):
            made.set_screen_ratio(ratio)
            chunks = await run(made, block(tmp_path, "plot(1:3)"))
            (path,) = (Path(str(c.content)) for c in chunks if c.type == "image" and c.content)
            widths.append(int.from_bytes(path.read_bytes()[16:20]))
    assert widths == [840, 1680]


async def test_frames_are_tables_with_their_text_before_them(tmp_path: Path) -> None:
    code = (
        'd <- data.frame(n = c(1L, NA), x = c(0.5, Inf), s = c("a", "\\"é\\n"),'
        ' f = factor(c("u", "v")), b = c(TRUE, NA), t = as.Date("2024-02-03"))\nd'
    )
    async with executor(tmp_path) as made:
        chunks = await run(made, block(tmp_path, code))
        assert order_of(chunks)[3:] == ["table"]
        (table,) = (c.content for c in chunks if isinstance(c.content, Table))
        assert table.columns == ("n", "x", "s", "f", "b", "t")
        assert table.dtypes == ("integer", "numeric", "character", "factor", "logical", "Date")
        assert table.rows == (
            (1, 0.5, "a", "u", True, "2024-02-03"),
            (None, "Inf", '"é\n', "v", None, "2024-02-03"),
        )
        assert table.name == "d"
        assert table.text + "\n" == text_of(chunks)
        chunks = await run(made, block(tmp_path, "data.frame(a = 1:5000)"))
        (table,) = (c.content for c in chunks if isinstance(c.content, Table))
        assert (len(table.rows), table.total_rows) == (200, 5000)
        assert text_of(chunks).endswith("... 4990 more rows\n")
        named = await run(made, block(tmp_path, "head(mtcars, 1)"))
        (table,) = (c.content for c in named if isinstance(c.content, Table))
        assert (table.columns[0], table.dtypes[0], table.rows[0][0]) == ("", "", "Mazda RX4")


async def test_questions_are_asked_in_the_timeline(tmp_path: Path) -> None:
    code = 'name <- readline("Who? ")\nlines <- readLines("stdin", n = 2)\npaste(name, lines)'
    async with executor(tmp_path) as made:
        chunks = await answered(made, tmp_path, code, "Zoë", "one", "two")
        asked = [c.content for c in chunks if isinstance(c.content, InputRequest)]
        assert [request.prompt for request in asked] == ["Who? ", "", ""]
        assert text_of(chunks) == '[1] "Zoë one" "Zoë two"\n'
        chunks = await answered(made, tmp_path, 'menu(c("a", "b"))', "9", "2")
        assert text_of(chunks).endswith("[1] 2\n")
        chunks = await answered(made, tmp_path, "sum(scan(quiet = TRUE))", "1 2", "3", "")
        assert text_of(chunks) == "[1] 6\n"


async def test_text_and_its_end_reach_what_reads_standard_input(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        for words in ("first", "second"):  # an end is the end for one block
            chunks: list[Chunk] = []
            async with aclosing(
                made.run(block(tmp_path, 'system("cat")\ncat("over\\n")'))
            ) as stream:
                async for chunk in stream:
                    if chunk.content == 1:
                        await made.send_text("conversation", words + "\n", is_end=True)
                    chunks.append(chunk)
            assert text_of(chunks) == f"{words}\nover\n"
        chunks = []
        async with aclosing(made.run(block(tmp_path, 'readLines("stdin")'))) as stream:
            async for chunk in stream:
                if chunk.type == "input":
                    await made.send_text("conversation", "a\nb", is_end=True)
                chunks.append(chunk)
        assert text_of(chunks) == '[1] "a" "b"\n'


@pytest.mark.parametrize(
    "code",
    [
        "Sys.sleep(60)",
        "repeat {}",
        "x <- 0; while (TRUE) { x <- x + 1 }",
        'repeat cat("flood\\n")',
        'system("sleep 60")\ncat("went on\\n")',
        'system2("sleep", "60"); cat("went on\\n")',
        'system("yes")',
        'readline("? ")',
        "tryCatch(Sys.sleep(60), error = function(e) NULL, finally = cat(''))",
    ],
)
async def test_stop_ends_it_and_keeps_the_names(tmp_path: Path, code: str) -> None:
    code = code.replace("\ncat", "; cat")  # one line is the last one
    async with executor(tmp_path) as made:
        await run(made, block(tmp_path, "answer <- 42"))
        pid = made.status("conversation").pid
        chunks = await run_and_stop(made, tmp_path, code)
        report = report_of(chunks)
        assert report.state == "interrupted"
        assert report.line is not None
        assert "went on" not in text_of(chunks)
        # What a command printed until its own signal came may be told before.
        assert text_of(await run(made, block(tmp_path, "answer"))).endswith("[1] 42\n")
        assert made.status("conversation").pid == pid


async def test_quit_ends_the_block_with_its_status_and_keeps_the_names(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        code = 'x <- 1\nf <- function() quit(status = 3)\nf()\ncat("never\\n")'
        chunks = await run(made, block(tmp_path, code))
        assert (report_of(chunks).state, report_of(chunks).exit_status) == ("finished", 3)
        assert text_of(chunks) == ""
        chunks = await run(made, block(tmp_path, "x; q()"))
        assert (report_of(chunks).exit_status, text_of(chunks)) == (0, "[1] 1\n")


async def test_what_exhausts_r_is_an_error_and_what_kills_it_is_said(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, block(tmp_path, "f <- function(n) f(n + 1)"))
        error = error_of(await run(made, block(tmp_path, "1\nf(1)")))
        assert error is not None
        assert [frame.line for frame in error.frames] == [2]
        error = error_of(await run(made, block(tmp_path, "numeric(1e15)")))
        assert error is not None
        assert "cannot allocate" in error.message
        assert text_of(await run(made, block(tmp_path, 'exists("f")'))) == "[1] TRUE\n"
        chunks = await run(made, block(tmp_path, "tools::pskill(Sys.getpid(), 9)"))
        assert text_of(chunks).endswith("R was restarted: its variables were lost.\n")
        assert report_of(chunks).exit_status == 137
        assert text_of(await run(made, block(tmp_path, 'exists("f")'))) == "[1] FALSE\n"


async def test_what_a_block_leaves_behind_is_not_in_the_way(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, block(tmp_path, "rm(list = ls(all.names = TRUE))\nsetwd('/')"))
        chunks = await run(
            made, block(tmp_path, 'sink("o.txt")\nprint(1)\nsink()\nreadLines("o.txt")')
        )
        assert text_of(chunks) == '[1] "[1] 1"\n'
        assert lines_of(chunks) == [1, 2, 3, 4, None]
        hung = text_of(await run(made, block(tmp_path, 'sink("p.txt")')))
        assert hung == "[What is printed goes to a sink; sink() ends that.]\n"
        code = "unlist(parallel::mclapply(1:3, function(i) i * 2, mc.cores = 2))"
        assert text_of(await run(made, block(tmp_path, f"sink()\n{code}"))) == "[1] 2 4 6\n"
        assert text_of(await run(made, block(tmp_path, "commandArgs(TRUE)"))) == "character(0)\n"


async def test_a_missing_package_is_said_with_the_line_that_installs_it(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, block(tmp_path, "library(nowhere.to.be.found)"))
        error = error_of(chunks)
        assert error is not None
        assert error.name == "packageNotFoundError"
        assert 'Install it with install.packages("nowhere.to.be.found").' in text_of(chunks)
        repos = text_of(await run(made, block(tmp_path, 'getOption("repos")[["CRAN"]]')))
        assert "https://" in repos
