"""The virtual scroll, and what mouse, keyboard and assistive technology do with it.

It may import `ui.timeline.cards` and what is below them.
"""
