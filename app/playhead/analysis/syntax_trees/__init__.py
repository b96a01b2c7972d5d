"""What code of other languages does.

The only importer of tree_sitter; imported by `code_facts`.
"""
