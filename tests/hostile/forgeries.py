"""Programs that forge the end of a run, escape Stop, or reach for what is above their kernel."""

from __future__ import annotations

PRELUDE = """
import atexit, builtins, ctypes, faulthandler, gc, json, os, queue, resource, select, signal, socket
import subprocess, sys, threading, time, traceback
libc = ctypes.CDLL(None, use_errno=True)
true_write, true_dumps, true_print = os.write, json.dumps, print
def channel():
    return next(t for t in gc.get_objects() if type(t).__name__ == "Channel")
def mark(kind="idle", run=None, nonce=None, **fields):
    c = channel()
    body = {"t": kind, "run": c.run if run is None else run, **fields}
    return b"\\x1b_" + (nonce or c.nonce).encode() + b";" + true_dumps(body).encode() + b"\\x1b\\\\"
def end(**fields):
    return mark(state="finished", **fields)
def forge(*_, **__):
    true_write(1, end())
def compute(seconds=0.12):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
def fd_of_pipe(flags):
    import fcntl
    for fd in range(3, 64):
        try:
            if "pipe" in os.readlink(f"/proc/self/fd/{fd}"):
                if fcntl.fcntl(fd, fcntl.F_GETFL) & 3 == flags:
                    yield fd
        except OSError:
            pass
"""

FORGED = {
    "its own channel": "channel().send('idle', state='finished')",
    "its channel without a flush": "channel().send_unordered('idle', state='finished')",
    "an interrupted end": "channel().send('idle', state='interrupted', line=1)",
    "descriptor 1": "os.write(1, end())",
    "descriptor 2": "os.write(2, end())",
    "descriptors 0 to 20": (
        "for fd in range(21):\n    try:\n        os.set_blocking(fd, True) if fd in (1, 2) else 0\n"
        "        os.write(fd, end())\n    except OSError:\n        pass"
    ),
    "a mark in two halves": "e = end()\nos.write(1, e[:9])\ntime.sleep(0.02)\nos.write(1, e[9:])",
    "two thousand marks": "e = end()\nfor _ in range(2000):\n    os.write(1, e)",
    "marks of every run": (
        "for run in ('', '0', 'run-1', channel().run[:-1], channel().run):\n"
        "    os.write(1, mark(run=run, state='finished'))"
    ),
    "sys.stdout": "sys.stdout.write(end().decode())\nsys.stdout.flush()",
    "a value's text": (
        "class V:\n    def __repr__(self):\n        return end().decode()\nprint(V(), flush=True)"
    ),
    "a printed traceback": "try:\n    raise ValueError(end().decode())\nexcept ValueError:\n"
    "    traceback.print_exc()\n    sys.stderr.flush()",
    "ctypes' write": "e = end()\nlibc.write(1, e, len(e))",
    "ctypes in the text of the run": (
        "run, first = channel().run, channel().run[:1].encode()\n"
        "ctypes.memmove(id(run) + sys.getsizeof('') - 1, b'x', 1)\nforge()\n"
        "ctypes.memmove(id(run) + sys.getsizeof('') - 1, first, 1)\nforge()"
    ),
    "/proc/self/fd": "open('/proc/self/fd/1', 'wb', 0).write(end())",
    "/dev/stdout": "open('/dev/stdout', 'wb', 0).write(end())",
    "/proc/self/mem": (
        "run = channel().run\nmemory = open('/proc/self/mem', 'r+b', 0)\n"
        "memory.seek(id(run) + sys.getsizeof('') - 1)\nfirst = memory.read(1)\n"
        "memory.seek(-1, 1)\nmemory.write(b'x')\nforge()\nmemory.seek(-1, 1)\nmemory.write(first)\n"
        "forge()"
    ),
    "a child": "subprocess.run(['cat'], input=end())",
    "a shell": "open('end', 'wb').write(end())\nos.system('cat end; cat end >&2')",
    "a fork": "if os.fork() == 0:\n    forge()\n    os._exit(0)\nos.wait()",
    "a fork of a fork with a session": (
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(0.03)\n"
        "        forge()\n    os._exit(0)\nos.wait()"
    ),
    "a thread": "t = threading.Thread(target=forge)\nt.start()\nt.join()",
    "a thread that goes on": (
        "def on():\n    for _ in range(40):\n        forge()\n        time.sleep(0.005)\n"
        "threading.Thread(target=on).start()"
    ),
    "a signal handler": (
        "signal.signal(signal.SIGALRM, forge)\nsignal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)\n"
        "compute()\nsignal.setitimer(signal.ITIMER_REAL, 0)"
    ),
    "an exit handler": "atexit.register(forge)\natexit._run_exitfuncs()",
    "a trace function": "sys.settrace(lambda *_: forge())\ncompute(0.02)\nsys.settrace(None)",
    "a profile function": "sys.setprofile(lambda *_: forge())\ncompute(0.02)\nsys.setprofile(None)",
    "the garbage collector": "gc.callbacks.append(forge)\ngc.collect()\ngc.callbacks.clear()",
    "a finalizer": "class F:\n    __del__ = forge\nF()",
    "a display hook": "hook = sys.displayhook\nsys.displayhook = forge\n1\nsys.displayhook = hook",
    "replaced builtins": (
        "builtins.print = forge\nprint()\nbuiltins.print = true_print\n"
        "builtins.len, n = (lambda *_: 0), len\ncompute()\nbuiltins.len = n"
    ),
    "a replaced os.write": (
        "os.write = lambda fd, data: (true_write(1, end()), true_write(fd, data))[1]\n"
        "compute(0.05)\nos.write = true_write"
    ),
    "a replaced json.dumps": (
        "json.dumps = lambda *a, **k: true_dumps({'t': 'idle', 'run': channel().run})\n"
        "channel().send('line', line=1)\njson.dumps = true_dumps"
    ),
    "a channel that sends nothing any more": (
        "kind = type(channel())\nsend, kind.send = kind.send, lambda *a, **k: None\nforge()\n"
        "compute()\nkind.send = send"
    ),
    "a host that says that it is free": (
        "host = next(t for t in gc.get_objects() if type(t).__name__ == 'Host')\n"
        "host._is_busy = False\nforge()"
    ),
    "modules that are replaced": (
        "kept = {n: sys.modules.pop(n) for n in list(sys.modules) if n.startswith('_playhead')}\n"
        "sys.modules['queue'] = sys.modules['signal'] = None\nforge()\ncompute()\n"
        "sys.modules.update(kept, queue=queue, signal=signal)"
    ),
    "bytes in the pipe that wakes the main thread": (
        "for fd in fd_of_pipe(os.O_WRONLY):\n    os.set_blocking(fd, False)\n"
        "    if os.readlink(f'/proc/self/fd/{fd}') != os.readlink('/proc/self/fd/1'):\n"
        "        os.write(fd, b'c' * 9)\n        os.set_blocking(fd, True)\nforge()"
    ),
    "a duplicate of the pipe that it waits on": (
        "spare = [os.dup(fd) for fd in fd_of_pipe(os.O_RDONLY)]\nforge()\ncompute()\n"
        "for fd in spare:\n    os.close(fd)"
    ),
    "a thread that waits as the main thread does": (
        "wake = [fd for fd in fd_of_pipe(os.O_RDONLY)]\n"
        "def wait():\n    select.select(wake, [], [], 0.1)\n"
        "t = threading.Thread(target=wait)\nt.start()\nforge()\ncompute()\nt.join()"
    ),
    "a name of the thread": "libc.prctl(15, b'waits', 0, 0, 0)\nforge()",
    "no way to look into it": "libc.prctl(4, 0)\nforge()\ncompute(0.2)\nlibc.prctl(4, 1)",
    "two threads that share the lock": (
        "t = threading.Thread(target=compute)\nt.start()\nlibc.prctl(4, 0)\nforge()\ncompute(0.3)\n"
        "libc.prctl(4, 1)"
    ),
    "a supervisor that is stopped": "os.kill(os.getppid(), signal.SIGSTOP)\nforge()",
    "every signal to the supervisor": (
        "for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:\n"
        "    os.kill(os.getppid(), number)\nforge()"
    ),
}
"""Each forges its end; then it computes on and prints that it has."""

ENDINGS = {
    "a supervisor that is killed": "os.kill(os.getppid(), signal.SIGKILL)",
    "a supervisor without descriptors": (
        "limits = resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)\n"
        "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, limits[1]))\n"
        "os.kill(os.getppid(), signal.SIGCHLD)"
    ),
    "a supervisor without time": "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))",
    "all descriptors closed": "os.closerange(3, 256)",
    "descriptors that lead nowhere": (
        "nothing = os.open('/dev/null', os.O_RDWR)\n"
        "for fd in range(nothing):\n    os.dup2(nothing, fd)"
    ),
    "an end of the main thread": "libc.pthread_exit(0)",
    "a thread that reads commands no more": (
        "for fd in fd_of_pipe(os.O_RDONLY):\n    os.set_blocking(fd, False)"
    ),
}
"""What ends its kernel, or is stopped with it; each forges its end before and after."""

LATER = {
    "ends": "os.write(1, mark(state='finished'))",
    "lines": "os.write(1, mark('line', line=9))",
    "errors": "os.write(1, mark('error', name='E', message='m', frames=[]))",
    "drivers": "os.write(1, mark('driver', pid=os.getpid()))",
    "ends of the run before": "os.write(1, mark(run=earlier, state='finished'))",
}
"""What a thread of one run writes all through the next one."""

ABOVE = {
    "its descriptors": (
        "folder = f'/proc/{above}/fd'\n[os.readlink(f'{folder}/{n}') for n in os.listdir(folder)]"
    ),
    "its memory": "open(f'/proc/{above}/mem', 'rb')",
    "its environment": "open(f'/proc/{above}/environ', 'rb')",
    "a trace": "assert libc.ptrace(16, above, 0, 0) == 0, ctypes.get_errno()",
    "a seizure": "assert libc.ptrace(0x4206, above, 0, 0) == 0, ctypes.get_errno()",
    "its line": (
        "fd = os.pidfd_open(above)\n"
        "assert any(libc.syscall(438, fd, n, 0) >= 0 for n in range(32)), ctypes.get_errno()"
    ),
    "its memory by a call": (
        "class V(ctypes.Structure):\n"
        "    _fields_ = [('b', ctypes.c_void_p), ('n', ctypes.c_size_t)]\n"
        "mine = V(ctypes.addressof(ctypes.create_string_buffer(8)), 8)\n"
        "assert libc.process_vm_readv(above, ctypes.byref(mine), 1, ctypes.byref(mine), 1, 0) > 0"
    ),
    "an inherited line": (
        "own = '/proc/self/fd/'\n"
        "links = [own + n for n in os.listdir(own) if os.path.islink(own + n)]\n"
        "assert any('socket' in os.readlink(link) for link in links)"
    ),
    "its objects": ("assert any(type(t).__name__ == 'Supervision' for t in gc.get_objects())\n"),
}
"""What reaches for the supervisor: each of them raises."""

ESCAPES = {
    "an empty environment": "os.system('env -i setsid sh -c \"(sleep 600 &) & exec sleep 600\" &')",
    "a daemon": (
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
        "        os.closerange(0, 256)\n        time.sleep(600)\n    os._exit(0)\nos.wait()"
    ),
    "no end with its parent": (
        "if os.fork() == 0:\n    libc.prctl(1, 0, 0, 0, 0)\n    os.setsid()\n    time.sleep(600)"
    ),
    "nohup": (
        "os.system('nohup sh -c \"trap : INT TERM HUP; sleep 600; sleep 600\" > /dev/null &')"
    ),
    "a subreaper of its own": (
        "if os.fork() == 0:\n    libc.prctl(36, 1, 0, 0, 0)\n    os.setsid()\n"
        "    os.system('setsid sleep 600 &')\n    time.sleep(600)"
    ),
    "a program with a session": (
        "os.posix_spawn('/bin/sh', ['sh', '-c', 'sleep 600'], {}, setsid=True)"
    ),
    "processes that are stopped": (
        "for _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n"
        "        os.kill(os.getpid(), signal.SIGSTOP)\n        time.sleep(600)"
    ),
    "one that forks itself away": (
        "if os.fork() == 0:\n    os.setsid()\n    while True:\n        if os.fork():\n"
        "            os._exit(0)\n        time.sleep(0.003)"
    ),
    "a driver that is none": (
        "if os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\n"
        "os.write(1, mark('driver', pid=max(map(int, open('/proc/thread-self/children').read()"
        ".split()))))"
    ),
}
"""Each starts what has left the kernel's group, session or tree."""
