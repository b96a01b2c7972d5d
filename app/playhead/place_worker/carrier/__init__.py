"""Looks like a kernel here and carries all of it to and from one on another machine.

By the system's programs: `ssh`, `docker`, `podman`, `kubectl`, `wsl.exe`. Standard library only; of
ours the protocol of kernels and what it sends to the far side (`supervisor/keeper`). The app uses
no module: it starts `boot`.
"""
