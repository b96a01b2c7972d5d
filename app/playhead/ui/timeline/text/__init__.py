"""Text as blocks and documents: markdown, code, formulas, and the shapes around them.

It may import `ui.timeline.model`.
"""
