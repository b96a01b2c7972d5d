"""Python blocks that misbehave, each in its own way."""

from __future__ import annotations

FOREVER = "while True:\n    pass"
FLOOD = "while True:\n    print('x' * 100)"
SLEEP = "import time\ntime.sleep(600)"
YES = "import os\nos.system('yes')"
SHELL_SLEEP = "import os\nif os.system('sleep 600') is not None:\n    print('went on')"
DEAF = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n    pass"
STUBBORN = """
while True:
    try:
        print("ready")
        while True:
            pass
    except KeyboardInterrupt:
        pass
"""
DEAF_CHILD = """
import subprocess, sys
print("child", flush=True)
subprocess.run([sys.executable, "-c", "import signal, time; \
signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(600)"])
"""
BACKGROUND = """
import os
os.system("sleep 600 & echo $! > server")
"""
LEFT_BEHIND = """
import os, subprocess, time
one = subprocess.Popen(["sleep", "600"])
os.system("sleep 600 & echo $! > deaf")
with open("plain", "w") as file:
    print(one.pid, file=file)
print("ready", flush=True)
while True:
    time.sleep(0.01)
"""
CRASHES = {
    "segmentation fault": "import ctypes\nctypes.string_at(0)",
    "os._exit": "import os\nprint('before')\nos._exit(3)",
    "kill -9 of itself": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "all descriptors closed": "import os\nos.closerange(0, 256)",
    "abort": "import os\nos.abort()",
}
HARMLESS = {
    "stdout closed": "import os\nos.close(1)\nos.close(2)",
    "sys.stdout closed": "import sys\nsys.stdout.close()\nsys.stderr.close()",
    "sys.exit": "import sys\nsys.exit(3)",
    "exit": "exit()",
    "stdin closed": "import sys\nsys.stdin.close()",
    "a fork that comes back": "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)",
    "a deep recursion": "def f():\n    f()\nf()",
    "a thread that prints on": (
        "import threading, time\n"
        "def late():\n    time.sleep(0.05)\n    print('late')\n"
        "threading.Thread(target=late).start()"
    ),
    "a foreign SIGINT handler": "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)",
    "a non-blocking pipe": "import os\nos.set_blocking(1, False)\nprint('x' * 300_000)",
    "an error that cannot be printed": (
        "class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E()"
    ),
    "builtins overwritten": "import builtins\nbuiltins.print = builtins.repr = None",
}

DEAF_PRINTER = (
    "import signal, subprocess, time\n"
    "handler = signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    "subprocess.Popen(['yes', 'more'])\n"
    "signal.signal(signal.SIGINT, handler)\n"
    "time.sleep(60)"
)
"""The code stops at once, what it has started goes on printing until it is killed."""
DETACHED = """
import os, time
os.system("setsid sh -c 'echo $$ > detached; exec sleep 600' &")
os.system("trap '' INT; setsid -f sleep 600")
while not os.path.exists("detached") or not open("detached").read():
    time.sleep(0.01)
print("ready", flush=True)
while True:
    time.sleep(0.01)
"""
"""Children with sessions of their own and no parent."""
DETACHED_PRINTER = "import os\nos.system('setsid yes more')"
"""A child that is waited for and has a session of its own."""
