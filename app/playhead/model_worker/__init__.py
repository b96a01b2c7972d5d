"""Child process that talks to models; the only importer of litellm.

It imports only its own files; the parent imports only `protocol` of it.
"""
