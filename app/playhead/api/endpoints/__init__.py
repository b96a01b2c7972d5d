"""One handler for each endpoint but those of assistants, and the table of all operations. Imported
by routes only.
"""
