/** What code has begun and is not over yet, apart from what only waits to be used. */
'use strict';

/** Servers, watchers and the like: they go on behind the block that has made them. */
const STANDING = /^((TCPServer|PipeServer|UDP|FSEvent|Signal)Wrap|StatWatcher|MessagePort)$/;

/** Threads that code has started, and the run in which it did. */
const workers = new Map();

/** `current()` is the run that goes on, or null. */
function install(current) {
  process.on('worker', (worker) => {
    workers.set(worker, current());
    worker.once('exit', () => workers.delete(worker));
  });
}

/** End the threads of a run. */
function endWorkers(run) {
  for (const [worker, owner] of workers) if (owner === run) worker.terminate();
}

/** How many there are of each kind; each run knows its timers itself. */
function count() {
  const counts = new Map([['Worker', workers.size]]);
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind === 'Timeout' || STANDING.test(kind)) continue;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** What a block begins with, when its own code is over: connections that stand by now are kept. */
function afterCode(before) {
  const now = count();
  const standing = (now.get('TCPSocketWrap') ?? 0) - (now.get('TCPConnectWrap') ?? 0);
  const known = before.get('TCPSocketWrap') ?? 0;
  return new Map([...before, ['TCPSocketWrap', Math.max(known, standing)]]);
}

/** Whether there is more than there was. */
function isMoreThan(before) {
  for (const [kind, number] of count()) if (number > (before.get(kind) ?? 0)) return true;
  return false;
}

module.exports = { afterCode, count, endWorkers, install, isMoreThan };
