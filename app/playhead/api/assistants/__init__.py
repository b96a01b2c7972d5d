"""The Assistants format: assistants, threads and runs in the core's thread, their handlers in the
server's. Imported by endpoints (its operations), routes and bootstrap.
"""
