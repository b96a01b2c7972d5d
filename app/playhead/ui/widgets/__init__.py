"""Shared parts of the window: theme, texts, tasks, banners, dialogs, forms.

Imports no other folder of `ui`; every folder of `ui` may import it.
"""
