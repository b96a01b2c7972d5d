/** The ways out of the kernel: what code prints, the marks between it, the replies to the host. */
'use strict';

const fs = require('fs');

const CHUNK = 65536;
const SHORT = 1000; // letters: as UTF-8 still fewer bytes than a pipe takes or refuses whole

/** What one thread waits on that has nothing to wait for. */
const pause = new Int32Array(new SharedArrayBuffer(4));

/** A descriptor of our own for the same pipe: nobody closes it or makes it non-blocking. */
function own(fd, flags) {
  try {
    return fs.openSync(`/dev/fd/${fd}`, flags);
  } catch {
    return fd;
  }
}

/** Write all of it, however often the pipe is full. */
function write(fd, data) {
  if (typeof data === 'string' && data.length > SHORT) data = Buffer.from(data);
  if (typeof data === 'string') {
    attempt(() => fs.writeSync(fd, data));
    return;
  }
  for (let at = 0; at < data.length; ) {
    const length = Math.min(CHUNK, data.length - at);
    at += attempt(() => fs.writeSync(fd, data, at, length));
  }
}

function attempt(call) {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 2);
    }
  }
}

/** JSON without a letter beyond ASCII, as marks have it. */
function ascii(value) {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (letter) => '\\u' + letter.charCodeAt(0).toString(16).padStart(4, '0'),
  );
}

/** A mark, to be written at once. */
function mark(nonce, kind, run, fields = {}) {
  return `\x1b_${nonce};${ascii({ t: kind, run, ...fields })}\x1b\\`;
}

/** A line for the host. */
function reply(...fields) {
  // Through a buffer: what is half of a letter cannot be encoded.
  return fields.map((field) => encodeURIComponent(Buffer.from(String(field)))).join('\t') + '\n';
}

/** The fields of a line from the host; a path that is no UTF-8 names nothing that Node.js can open. */
function fieldsOf(line) {
  return line.split('\t').map((field) => {
    const bytes = field.replace(/%(..)/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
    return Buffer.from(bytes, 'latin1').toString('utf8');
  });
}

module.exports = { fieldsOf, mark, own, pause, reply, write };
