"""Print the measures of the source: `python -m tests.measures`.

They are those of the rules in `tests/test_architecture.py`, and the length of the paths that
CONTRIBUTING.md shows.
"""

from __future__ import annotations

from tests.support.source_paths import read_paths
from tests.support.source_tree import (
    PACKAGE,
    classes,
    folder_sizes,
    function_sizes,
    lengths,
    module_paths,
    only_importers,
    public_methods,
    share,
)
from tests.test_architecture import is_own_kind, unlisted_base_names


def spread(values: list[int]) -> str:
    """Return the median, the ninetieth percentile and the largest of an ordered list."""
    return f"{share(values, 50)} · {share(values, 90)} · {values[-1]}"


def measures() -> list[tuple[str, str]]:
    """Return each measure with its value."""
    modules = lengths()
    lonely = only_importers()
    counted = [found for found in lonely if not is_own_kind(found.module)]
    repeated = unlisted_base_names()
    methods = sorted(len(public_methods(node)) for path in module_paths() for node in classes(path))
    folders = folder_sizes()
    largest = ", ".join(
        f"{folder.relative_to(PACKAGE)} {count}" for folder, count in folders.most_common(5)
    )
    return [
        ("modules", str(len(modules))),
        ("lines", f"{sum(modules):,}"),
        ("lines of a module (median · p90 · max)", spread(modules)),
        ("lines of a function", spread(function_sizes())),
        ("public methods of a class", spread(methods)),
        ("imported by one module, of their folder", of_all(len(lonely), len(modules))),
        ("… without drivers, cards, pages, protocols", of_all(len(counted), len(modules))),
        ("… and under 150 lines", str(sum(found.lines < 150 for found in counted))),
        ("repeated base names outside the list", " ".join([str(len(repeated)), *repeated])),
        ("modules of a folder", spread(sorted(folders.values()))),
        ("largest folders", largest),
        *(
            (
                f"path: {path.title}",
                f"{len(path.stations)} stations, {len(path.files())} files",
            )
            for path in read_paths()
        ),
    ]


def of_all(count: int, total: int) -> str:
    """Return a count with its share of all."""
    return f"{count} ({count / total:.1%})"


def main() -> None:
    """Print one measure a line."""
    for name, value in measures():
        print(f"{name:<46} {value}")


if __name__ == "__main__":
    main()
