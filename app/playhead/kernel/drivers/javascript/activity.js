/** What code has begun and is not over yet, apart from what only waits to be used. */
'use strict';

/** Servers, watchers and the like: they go on behind the block that has made them. */
const STANDING = /^(TCPServerWrap|PipeServerWrap|UDPWrap|FSEventWrap|StatWatcher|SignalWrap|MessagePort)$/;

let workers = 0;

function install() {
  process.on('worker', (worker) => {
    workers++;
    worker.once('exit', () => workers--);
  });
}

/** How many there are of each kind. */
function count() {
  const counts = new Map([['Worker', workers]]);
  for (const kind of process.getActiveResourcesInfo()) {
    if (!STANDING.test(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
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

module.exports = { afterCode, count, install, isMoreThan };
