"""Places on other machines: those that are kept, and what of a conversation is there."""
