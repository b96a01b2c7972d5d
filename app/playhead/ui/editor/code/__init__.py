"""The code editors, Scintilla and plain text, behind one protocol.

Imported by `ui.editor`; `shown_text` and `editor_language` also by the rest of `ui`.
"""
