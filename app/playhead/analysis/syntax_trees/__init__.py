"""Reads code of other languages by the grammars of tree-sitter.

The only importer of tree_sitter; imported by `code_facts`.
"""
