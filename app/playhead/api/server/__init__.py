"""The HTTP server in its thread: sockets, admission, the way to the core's thread, answers. May be
imported by the other folders of api but turns; imports turns. `api_server` and `api_switch` are
imported without aiohttp.
"""
