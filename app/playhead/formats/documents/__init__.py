"""Files in which conversations and profiles are saved and exchanged; imported by `ui`, `api` and
`session`. It may import `formats.wire`.
"""
