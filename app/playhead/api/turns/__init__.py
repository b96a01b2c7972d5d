"""Turns that programs ask for, in the core's thread and without aiohttp. Imported by every folder
of api and by stdio; imports schemas only.
"""
