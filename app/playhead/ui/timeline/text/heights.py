"""Heights of many things under each other: a Fenwick tree, so that any change costs O(log n)."""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """Heights in pixels by index; sums and searches without walking the list."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights: list[int] = []
        self._tree: list[int] = [0]
        self._total = 0
        self.reset(heights)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    @property
    def total(self) -> int:
        """Return the sum of all heights."""
        return self._total

    def reset(self, heights: Iterable[int]) -> None:
        """Replace all heights."""
        self._heights = list(heights)
        self._total = sum(self._heights)
        tree = [0, *self._heights]
        for index in range(1, len(tree)):
            parent = index + (index & -index)
            if parent < len(tree):
                tree[parent] += tree[index]
        self._tree = tree

    def append(self, height: int) -> None:
        """Append a height."""
        self._heights.append(height)
        self._total += height
        position = len(self._heights)
        low = position - (position & -position)
        self._tree.append(self.offset(position - 1) - self.offset(low) + height)

    def truncate(self, length: int) -> None:
        """Keep the first `length`; the nodes of a Fenwick tree look only backwards."""
        del self._tree[length + 1 :]
        self._total = self.offset(length)
        del self._heights[length:]

    def set(self, index: int, height: int) -> None:
        """Set the height of one index."""
        change = height - self._heights[index]
        if not change:
            return
        self._heights[index] = height
        self._total += change
        position = index + 1
        while position < len(self._tree):
            self._tree[position] += change
            position += position & -position

    def offset(self, index: int) -> int:
        """Return the distance of the top of `index` from the top of the first."""
        total = 0
        while index:
            total += self._tree[index]
            index &= index - 1
        return total

    def index_at(self, y: int) -> int:
        """Return the index that covers `y`, or the nearest; indexes without height are skipped."""
        if not self._heights or y < 0:
            return 0
        index = 0
        step = 1 << (len(self._heights).bit_length() - 1)
        while step:
            following = index + step
            if following < len(self._tree) and self._tree[following] <= y:
                index = following
                y -= self._tree[following]
            step >>= 1
        return min(index, len(self._heights) - 1)
