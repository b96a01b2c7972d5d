"""Messages are found by their words, whatever is typed, and copies bring their files along."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import RunReport
from playhead.domain.conversation.search import SearchFound, terms_of
from playhead.domain.history import ConversationSummary
from playhead.errors import StorageError
from playhead.storage.history import message_search
from playhead.storage.history.message_search import matching
from playhead.storage.history.schema import open_database
from playhead.storage.history.sqlite_history import SqliteHistory

TEXTS = (
    "The file has 4,812 rows and no missing values",
    "Où est le café? 東京のデータを読み込みます 🎈",
    "df['rows'] = pd.read_csv(\"a_b.csv\")  # 100 % in C++ or C:\\dir",
    "NUL \x00 inside and then zebra",
)


@asynccontextmanager
async def opened(folder: Path) -> AsyncGenerator[SqliteHistory, None]:
    history = SqliteHistory(folder / "history.sqlite3", folder / "outputs")
    assert await history.open() == ""
    try:
        yield history
    finally:
        await history.close()


async def stored(history: SqliteHistory, *texts: str, id_: str = "c1") -> Conversation:
    """A conversation of the user's messages, on disk."""
    conversation = Conversation(id_, created_at=1000.0)
    history.create(
        ConversationSummary(id=id_, title="", created_at=1000.0, updated_at=1000.0), "", ""
    )
    conversation.subscribe(lambda event: history.record(id_, event))
    for text in texts:
        conversation.apply(Chunk(role="user", type="message", content=text))
    await history.conversations()
    return conversation


async def search(history: SqliteHistory, query: str, id_: str | None = None) -> SearchFound:
    found = await history.search(query, id_)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("rows", [2, 0]),
        ("ROW", [2, 0]),
        ("rows missing", [0]),
        ("missing rows", [0]),
        ('"no missing"', [0]),
        ('"missing no"', []),
        ("ows", []),
        ("cafe", [1]),
        ("東京", [1]),
        ("データ", [1]),
        ("🎈", [1]),
        ("東京 cafe", [1]),
        ("read_csv", [2]),
        ("a_b.csv", [2]),
        ("axb.csv", []),
        ("C++", [2]),
        ("100 %", [2]),
        ("C:\\dir", [2]),
        ("df['rows']", [2]),
        ("zebra", [3]),
        ("4,812", [0]),
        ("row*", [2, 0]),
        ("", []),
        ('"', []),
    ],
)
async def test_what_is_typed_finds_what_has_it(
    tmp_path: Path, query: str, numbers: list[int]
) -> None:
    async with opened(tmp_path) as history:
        conversation = await stored(history, *TEXTS)
        ids = [message.id for message in conversation.messages]
        found = await search(history, query)
        assert [ids.index(hit.message_id) for hit in found.hits] == numbers


async def test_a_hit_shows_the_words_where_they_stand(tmp_path: Path) -> None:
    async with opened(tmp_path) as history:
        await stored(history, "long before " * 30 + "the Café is open, the cafeteria too")
        (hit,) = (await search(history, "cafe")).hits
        assert [hit.excerpt[slice(*mark)] for mark in hit.marks] == ["Café", "cafe"]
        assert (hit.role, hit.type, hit.conversation_id) == ("user", "message", "c1")


async def test_nothing_that_is_typed_is_an_error(tmp_path: Path) -> None:
    async with opened(tmp_path) as history:
        await stored(history, *TEXTS)
        strange = [
            "*",
            '"""',
            "a AND",
            "NEAR(",
            "content:x",
            "-x",
            "(",
            "%",
            "_",
            "\\",
            "'",
            "\x00",
        ]
        strange += ["\ud83c", "🎈*", "^a", "{a}", "a OR b NOT", "x" * 100_000, '"a" "', "\u0301"]
        for query in strange:
            await history.search(query)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.text(alphabet=st.characters() | st.sampled_from('"*%_^(){}:\\-+ \x00'), max_size=20)
)
def test_any_query_is_a_statement_that_runs(tmp_path_factory, query: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any" / "history.sqlite3"
    connection = open_database(path).connection
    try:
        if terms := terms_of(query):
            for has_index in (True, False):
                statement, values = matching(terms, has_index=has_index)
                connection.execute(statement, values).fetchall()
    finally:
        connection.close()


async def test_a_conversation_shows_its_newest_hits_and_counts_the_others(tmp_path: Path) -> None:
    async with opened(tmp_path) as history:
        await stored(history, *[f"word {number}" for number in range(9)])
        await stored(history, "word of another", id_="c2")
        found = await search(history, "word")
        excerpts = [hit.excerpt for hit in found.hits]
        assert excerpts == ["word of another", "word 8", "word 7", "word 6"]
        assert (found.more, found.is_cut) == ({"c1": 6}, False)
        assert len((await search(history, "word", "c1")).hits) == 9


async def test_very_many_hits_are_cut_and_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_search, "_MOST_HITS", 2)
    async with opened(tmp_path) as history:
        for number in range(4):
            await stored(history, "word", id_=f"c{number}")
        found = await search(history, "word")
        assert [hit.conversation_id for hit in found.hits] == ["c3", "c2"]
        assert found.is_cut


async def test_what_was_deleted_is_not_found(tmp_path: Path) -> None:
    async with opened(tmp_path) as history:
        await stored(history, "word")
        history.mark("c1", "deleted", True)
        await history.conversations()
        assert (await search(history, "word")).hits == ()
        history.mark("c1", "deleted", False)
        await history.conversations()
        assert len((await search(history, "word")).hits) == 1


async def test_of_quick_searches_the_newest_is_answered_and_none_wrongly(tmp_path: Path) -> None:
    async with opened(tmp_path) as history:
        await stored(history, "word")
        asked = [asyncio.ensure_future(history.search("word")) for _ in range(20)]
        answers = await asyncio.gather(*asked)
        assert answers[-1] is not None
        assert {len(found.hits) for found in answers if found is not None} == {1}


async def test_without_full_text_search_the_texts_themselves_are_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_search, "has_index", lambda connection: False)
    async with opened(tmp_path) as history:
        await stored(history, *TEXTS)
        assert len((await search(history, "rows missing")).hits) == 1


async def test_a_search_before_the_history_is_open_finds_nothing(tmp_path: Path) -> None:
    history = SqliteHistory(tmp_path / "history.sqlite3")
    assert (await search(history, "word")).hits == ()
    await history.close()


# Copies


async def test_a_copy_has_files_of_its_own_and_its_messages_name_them(tmp_path: Path) -> None:
    folder = tmp_path / 'out "puts" é' / "outputs"
    history = SqliteHistory(tmp_path / "history.sqlite3", folder)
    await history.open()
    mine = folder / "c1"
    (mine / "kernel-1").mkdir(parents=True)
    (mine / "run.txt").write_text("all of it")
    conversation = await stored(history, f"prose about {mine}/run.txt stays")
    conversation.apply(
        Chunk(role="computer", type="image", format="path", content=f"{mine}/plot.png")
    )
    report = RunReport(state="finished", seconds=0.1, line=1, output_path=f"{mine}/run.txt")
    conversation.apply(Chunk(role="computer", type="run", content=report))
    await history.duplicate(
        "c1", ConversationSummary(id="c2", title="x (copy)", created_at=5.0, updated_at=5.0)
    )
    await history.delete("c1")
    copy = await history.load("c2")
    prose, image, run = copy.messages
    assert prose.text == f"prose about {mine}/run.txt stays"
    assert image.text == f"{folder}/c2/plot.png"
    assert isinstance(run.content, RunReport)
    assert run.content.output_path == f"{folder}/c2/run.txt"
    assert (folder / "c2" / "run.txt").read_text() == "all of it"
    assert [file.name for file in (folder / "c2").iterdir()] == ["run.txt"]
    assert not mine.exists()
    await history.close()


async def test_a_copy_of_what_still_streams_ends_where_it_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as history:
        conversation = await stored(history, "question")
        conversation.apply(Chunk(role="assistant", type="message", start=True))
        conversation.apply(Chunk(role="assistant", type="message", content="so far"))
        await history.duplicate(
            "c1", ConversationSummary(id="c2", title="copy", created_at=5.0, updated_at=5.0)
        )
        conversation.apply(Chunk(role="assistant", type="message", content=" and on"))
        conversation.apply(Chunk(role="assistant", type="message", end=True))
        copy = await history.load("c2")
        assert [(m.text, m.state) for m in copy.messages] == [
            ("question", "complete"),
            ("so far", "interrupted"),
        ]
        assert copy.leaf_id == conversation.leaf_id
        assert (await history.load("c1")).messages[1].text == "so far and on"


async def test_what_is_not_there_cannot_be_copied(tmp_path: Path) -> None:
    async with opened(tmp_path) as history:
        with pytest.raises(StorageError):
            await history.duplicate(
                "c1", ConversationSummary(id="c2", title="copy", created_at=5.0, updated_at=5.0)
            )
        assert await history.conversations() == []


async def test_a_copy_whose_files_cannot_be_had_is_not_there_either(tmp_path: Path) -> None:
    async with opened(tmp_path) as history:
        await stored(history, "text")
        (tmp_path / "outputs" / "c1").mkdir(parents=True)
        (tmp_path / "outputs" / "c2").write_text("a file in the folder's place")
        with pytest.raises(StorageError):
            await history.duplicate(
                "c1", ConversationSummary(id="c2", title="copy", created_at=5.0, updated_at=5.0)
            )
        assert [row.id for row in await history.conversations()] == ["c1"]
