"""The pipe to a `playhead serve --stdio` and the chats over it; may import `formats`, `domain` and
`errors`, the first two not before the first chunk.
"""
