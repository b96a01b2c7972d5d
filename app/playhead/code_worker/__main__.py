"""Runs the code worker: questions on stdin, answers on stdout, ends with its stdin."""

from __future__ import annotations

import _thread
import ctypes
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import BinaryIO

from playhead.code_worker.protocol import Answer, Question, decode_question, encode
from playhead.code_worker.static_code import StaticCode

_PR_SET_PDEATHSIG = 1
_NICENESS = 4
_MEMORY_LIMIT_BYTES = 1_000_000_000
"""Parsed libraries stay in memory; over it a fresh worker takes the next question."""


def main() -> int:
    """Serve until stdin ends; the first argument is the folder for parsed files."""
    answers = _settle_in()
    with suppress(BrokenPipeError, KeyboardInterrupt):
        _Desk(StaticCode(sys.argv[-1]), answers).serve()
    return 0


def _settle_in() -> BinaryIO:
    """Give way to others, end with the app, and return the pipe to it, which has no other use."""
    if sys.platform != "win32":
        os.nice(_NICENESS)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe


class _Outdated(BaseException):
    """A later question has come."""


class _Desk:
    """Takes questions in a thread and works on the newest in the main one, which it interrupts."""

    def __init__(self, code: StaticCode, answers: BinaryIO) -> None:
        self._code = code
        self._answers = answers
        self._waiting: dict[str, Question] = {}
        self._newest = {"complete": 0, "describe": 0}
        self._change = threading.Condition()
        self._writing = threading.Lock()
        self._in_work: Question | None = None
        signal.signal(signal.SIGINT, self._on_interrupt)
        threading.Thread(target=self._read, name="questions", daemon=True).start()

    def serve(self) -> None:
        """Answer for ever."""
        while True:
            question = self._take()
            answer = Answer(number=question.number)
            try:
                with suppress(_Outdated):
                    answer = self._answered(question)
            finally:
                self._in_work = None
            self._write(answer)
            if _memory_bytes() > _MEMORY_LIMIT_BYTES:
                return

    def _answered(self, question: Question) -> Answer:
        answer = Answer(number=question.number)
        self._in_work = question
        try:
            if not self._is_outdated(question):  # it may be since before it was in work
                answer = self._code.answer(question)
        except _Outdated:
            self._code.forget()
        except Exception as error:  # noqa: BLE001 - a mistake of jedi's ends nothing
            self._code.forget()
            answer = Answer(number=question.number, problem=f"{type(error).__name__}: {error}")
        self._in_work = None
        return answer

    def _take(self) -> Question:
        """Wait for a question and return it; what can follow comes before what is there."""
        with self._change:
            while not self._waiting:
                self._change.wait()
            kind = "complete" if "complete" in self._waiting else "describe"
            return self._waiting.pop(kind)

    def _on_interrupt(self, *_: object) -> None:
        question = self._in_work
        if question is not None and self._is_outdated(question):
            self._in_work = None
            raise _Outdated

    def _is_outdated(self, question: Question) -> bool:
        """Return whether there is a later one of its kind, or of a text that has moved on."""
        return question.number < max(self._newest[question.kind], self._newest["complete"])

    def _read(self) -> None:
        with suppress(OSError):
            for line in sys.stdin.buffer:
                self._add(decode_question(line))
        os._exit(0)  # whatever is in work

    def _add(self, question: Question) -> None:
        with self._change:
            self._newest[question.kind] = question.number
            waiting = [*self._waiting.values(), question]
            self._waiting = {one.kind: one for one in waiting if not self._is_outdated(one)}
            self._change.notify()
        _thread.interrupt_main(signal.SIGINT)
        for one in waiting:
            if self._is_outdated(one):
                self._write(Answer(number=one.number))

    def _write(self, answer: Answer) -> None:
        with self._writing:
            self._answers.write(encode(answer))
            self._answers.flush()


def _memory_bytes() -> int:
    """Return the memory in use, on macOS the largest so far; 0 where the system does not tell."""
    if sys.platform == "linux":  # where ru_maxrss begins with that of the program that started us
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    sys.exit(main())
