"""The Responses format: its bodies, its operations, its handler in the server's thread. Imported by
endpoints (its operations) and routes.
"""
