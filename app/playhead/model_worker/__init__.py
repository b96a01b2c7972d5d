"""Child process that talks to models; the only importer of litellm.

It asks by HTTP itself, and a second process of the same package through litellm. It imports only
its own files; the parent imports only `protocol` of it.
"""
