"""The composer of messages, with its attachments and queue, and the bars that ask above it.

`shell` and `settings` import it.
"""
