"""Bounds what code may see and do: policy → view → bubblewrap, and the test that it holds.

Linux only: elsewhere it says that there is no sandbox. Imported by `execution` and `bootstrap`.
"""
