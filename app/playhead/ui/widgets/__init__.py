"""What all parts of the window are made with: theme, texts, tasks, banners, dialogs, forms.

Imports no other folder of `ui`; every folder of `ui` may import it.
"""
