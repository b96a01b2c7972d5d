"""What is mixed where the languages take turns: `python -m tests.soak languages [BLOCKS]`."""

from __future__ import annotations

_SHELL = {
    "print": "echo 42",
    "names": "x=$((x + 1)); echo $x",
    "error": "nowhere_to_be_found",
    "syntax": "if true; then",
    "long output": "seq 200000",
    "background child": "sleep 600 &",
    "exit": "exit 3",
    "crash": "kill -9 $$",
    "closed output": "exec 1>&- 2>&-",
    "files": "echo line >>made.txt",
}
QUICK = {
    "bash": _SHELL,
    "zsh": _SHELL,
    "javascript": {
        "print": "console.log(6 * 7)",
        "error": "throw new Error('no')",
        "syntax": "((",
        "long output": "for (let n = 0; n < 50000; n++) console.log(n)",
        "children": "require('child_process').execSync('echo child', {stdio: 'inherit'})",
        "exit": "process.exit(3)",
        "crash": "process.kill(process.pid, 'SIGKILL')",
    },
    "r": {
        "print": "6 * 7",
        "error": "stop('no')",
        "syntax": "((",
        "long output": "for (n in 1:20000) cat(n, '\\n')",
        "children": "system('echo child')",
        "background child": "system('sleep 600', wait = FALSE)",
        "plot": "plot(1:3)",
        "exit": "q(status = 3)",
        "crash": "tools::pskill(Sys.getpid(), 9)",
    },
    "ruby": {
        "print": "6 * 7",
        "error": "raise 'no'",
        "syntax": "((",
        "long output": "50_000.times { |n| puts n }",
        "children": "system 'echo child'",
        "background child": "spawn 'sleep 600'",
        "exit": "exit 3",
        "crash": "Process.kill :KILL, $$",
    },
    "html": {"page": "<p>shown</p>"},
}
_SHELL_ENDLESS = {
    "sleep": "echo ready; sleep 600",
    "loop": "echo ready; while :; do :; done",
    "yes": "echo ready; yes",
    "deaf child": "echo ready; sh -c 'trap \"\" INT; while :; do sleep 1; done'",
    "question": "echo ready; read answer",
}
ENDLESS = {
    "bash": _SHELL_ENDLESS,
    "zsh": _SHELL_ENDLESS,
    "javascript": {
        "sleep": "console.log('ready'); await new Promise((go) => setTimeout(go, 600000))",
        "loop": "console.log('ready'); for (;;) {}",
        "yes": "console.log('ready'); require('child_process').execSync('yes', {stdio: 'inherit'})",
    },
    "r": {
        "sleep": "cat('ready\\n'); Sys.sleep(600)",
        "loop": "cat('ready\\n'); repeat {}",
        "yes": "cat('ready\\n'); system('yes')",
        "question": "cat('ready\\n'); readline()",
    },
    "ruby": {
        "sleep": "puts 'ready'; sleep 600",
        "loop": "puts 'ready'; loop {}",
        "yes": "puts 'ready'; system 'yes'",
        "thread": "puts 'ready'; Thread.new { loop { puts 1 } }.join",
    },
}
