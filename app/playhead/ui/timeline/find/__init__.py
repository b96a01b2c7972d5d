"""Find words in the conversation that is shown.

It may import `ui.timeline.scroll` and what is below it.
"""
