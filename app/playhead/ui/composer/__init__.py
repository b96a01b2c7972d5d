"""Where a message is written, with its attachments and queue, and the bars that ask above it.

`shell` and `settings` import it.
"""
