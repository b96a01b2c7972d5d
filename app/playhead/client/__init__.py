"""The pipe to a `playhead serve --stdio` and the chats over it; may import `errors` alone."""
