"""Modules that speak as pandas and polars do, as far as needed, for where those are missing."""

from __future__ import annotations

PANDAS = """
class RangeIndex:
    start, step, name, names = 0, 1, None, [None]

    def __init__(self, rows):
        self.rows = list(rows)

class Index(RangeIndex):
    names, name, dtype = ["day"], "day", "object"

    def get_level_values(self, number):
        return self

    def tolist(self):
        return self.rows

class _Rows:
    def __init__(self, frame):
        self.frame = frame

    def __getitem__(self, wanted):
        return self.frame.cut(wanted)

class Series:
    name, dtype = "a", "int64"

    def __init__(self, values, index):
        self.values, self.index = values, index
        self.iloc, self.shape = _Rows(self), (len(values),)

    def cut(self, wanted):
        return Series(self.values[wanted], Index(self.index.rows[wanted]))

    def tolist(self):
        return self.values

    def __len__(self):
        return len(self.values)

    def __repr__(self):
        return "the text of a series"

class DataFrame(Series):
    def __init__(self, data, index=None):
        self.data = data
        rows = len(next(iter(data.values())))
        self.index = Index(index) if index else RangeIndex(range(rows))
        self.columns, self.shape = list(data), (rows, len(data))
        self.iloc = _Rows(self)

    def cut(self, wanted):
        if type(wanted) is tuple:
            column = Series(self.data[self.columns[wanted[1]]], self.index)
            column.dtype = "object"
            return column
        data = {name: values[wanted] for name, values in self.data.items()}
        return DataFrame(data, self.index.rows[wanted])

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return "the text of a frame"

    def _repr_html_(self):
        return "<table>never</table>"
"""

POLARS = """
class Series:
    dtype = "Int64"

    def __init__(self, name, values):
        self.name, self.values, self.shape = name, values, (len(values),)

    def __getitem__(self, wanted):
        return Series(self.name, self.values[wanted])

    def to_list(self):
        return self.values

    def __len__(self):
        return len(self.values)

class DataFrame:
    def __init__(self, data):
        self.data, self.columns = data, list(data)
        self.shape = (len(next(iter(data.values()))), len(data))

    def __getitem__(self, wanted):
        return DataFrame({name: values[wanted] for name, values in self.data.items()})

    def get_column(self, name):
        return Series(name, self.data[name])
"""
