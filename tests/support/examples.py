"""How many examples the property tests make, and which."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.support.isolation import RUNS_ALL


def choose_examples(profile: str | None) -> None:
    """Load a profile: the same examples each time, unless `--hypothesis-profile=search` is given.

    A search that finds something new would fail a run that changed nothing; it is a person's
    tool. No example has a time limit: the machine may have much else to do.
    """
    usual = settings(
        max_examples=100 if RUNS_ALL else 25,
        derandomize=True,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.register_profile("usual", usual)
    settings.register_profile("search", usual, max_examples=2000, derandomize=False)
    settings.load_profile(profile or "usual")
