"""All keys in one entry: changed by several, never half written."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.secret import Secret
from playhead.errors import KeyStoreError
from playhead.storage.keys.system_keyring import ENTRY, KeyringKeys, Keys, encode_keys
from tests.support.key_backends import BackendEntries, MemoryBackend

LIMIT = 20
names = st.text("abc@:.", min_size=1, max_size=8)
keys = st.dictionaries(names, st.text("a𝄞é", min_size=1, max_size=70), min_size=1, max_size=4)


def kept_in(backend: MemoryBackend, limit: int | None = None) -> KeyringKeys:
    return KeyringKeys(BackendEntries(backend, limit))


def put(name: str, text: str):
    def change(keys: Keys) -> None:
        keys[name] = Secret(text)

    return change


def texts(keys: Keys | None) -> dict[str, str]:
    return {name: secret.reveal() for name, secret in (keys or {}).items()}


@given(keys, keys, st.integers(0, 40))
def test_what_breaks_off_while_writing_leaves_all_old_keys_or_all_new_ones(
    first: dict[str, str], second: dict[str, str], writes: int
):
    backend = MemoryBackend()
    kept = kept_in(backend, LIMIT)
    kept.change(lambda keys: keys.update({name: Secret(text) for name, text in first.items()}))
    backend.writes_left = writes

    def replace(keys: Keys) -> None:
        keys.clear()
        keys.update({name: Secret(text) for name, text in second.items()})

    with contextlib.suppress(KeyStoreError):
        kept.change(replace)
    backend.writes_left = None
    assert texts(kept.read()) in (first, second)


@given(st.lists(keys, min_size=1, max_size=4))
def test_writings_leave_no_parts_of_earlier_ones(writings: list[dict[str, str]]):
    backend = MemoryBackend()
    kept = kept_in(backend, LIMIT)
    for wanted in writings:
        kept.change(lambda keys, wanted=wanted: keys.update(_secrets(wanted)))
    parts = len(backend.kept) - 1
    assert parts * LIMIT >= len(encode_keys(kept.read())) > (parts - 1) * LIMIT


def _secrets(wanted: dict[str, str]) -> Keys:
    return {name: Secret(text) for name, text in wanted.items()}


def test_instances_that_write_at_once_keep_each_other_s_keys(tmp_path: Path):
    backend = MemoryBackend()
    start = threading.Barrier(4)

    def work(number: int) -> None:
        kept = KeyringKeys(BackendEntries(backend, LIMIT), tmp_path / "lock")
        start.wait()
        for turn in range(5):
            kept.change(put(f"key-{number}-{turn}", f"text-{turn}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = {f"key-{number}-{turn}": f"text-{turn}" for number in range(4) for turn in range(5)}
    assert texts(kept_in(backend, LIMIT).read()) == wanted


def test_what_another_wrote_over_ours_is_noticed_and_both_are_kept():
    backend = MemoryBackend()
    ours, other = kept_in(backend), kept_in(backend)

    class Overtaken(BackendEntries):
        def set(self, name: str, text: str) -> None:
            super().set(name, text)
            if not has_overtaken:
                has_overtaken.append(True)
                backend.kept[ENTRY] = encode_keys({"theirs": Secret("2")})

    has_overtaken: list[bool] = []
    ours = KeyringKeys(Overtaken(backend))
    ours.change(put("ours", "1"))
    assert has_overtaken
    assert texts(other.read()) == {"ours": "1", "theirs": "2"}


@pytest.mark.parametrize("text", ["no JSON: sk-0123", '{"version": 2, "keys": {"a": "sk-0123"}}'])
def test_what_cannot_be_read_is_never_written_over(text: str):
    backend = MemoryBackend({ENTRY: text})
    kept = kept_in(backend)
    for attempt in (kept.read, lambda: kept.change(put("openai", "new"))):
        with pytest.raises(KeyStoreError, match="cannot be read") as caught:
            attempt()
        assert "sk-0123" not in str(caught.value)
    assert backend.kept == {ENTRY: text}


def test_a_lost_part_is_an_error_in_words_and_no_other_key():
    backend = MemoryBackend()
    kept = kept_in(backend, LIMIT)
    kept.change(put("vertex", "v" * 100))
    del backend.kept[next(name for name in backend.kept if "#" in name)]
    with pytest.raises(KeyStoreError, match="Parts of them are missing"):
        kept.read()


def test_a_change_that_changes_nothing_writes_nothing():
    backend = MemoryBackend()
    kept = kept_in(backend)
    kept.change(put("openai", "key"))
    backend.calls.clear()
    kept.change(put("openai", "key"))
    assert {action for action, _ in backend.calls} == {"read"}


def test_a_refusal_never_repeats_the_key(tmp_path: Path):
    class Careless(MemoryBackend):
        def set_password(self, service: str, username: str, password: str) -> None:
            raise RuntimeError(f"could not keep {password}")

    with pytest.raises(KeyStoreError) as caught:
        kept_in(Careless()).change(put("openai", "sk-0123"))
    assert "sk-0123" not in f"{caught.value} {caught.value.__cause__}"
