/** `process.stdout`, `stderr` and `stdin`: written at once, asked in the timeline. */
'use strict';

const fs = require('fs');
const net = require('net');
const { Readable, Writable } = require('stream');
const { pause, write } = require('./channel');

const PROMPT_LIMIT = 500;
const LOOK_MS = 20;

/** Writes before `write` comes back, so that nothing is lost, late or out of order. */
class Output extends Writable {
  constructor(output, fd) {
    super({ decodeStrings: false });
    this.output = output;
    this.fd = fd;
    this._type = 'pipe';
  }

  write(chunk, encoding, callback) {
    const done = typeof encoding === 'function' ? encoding : callback;
    const form = typeof encoding === 'string' ? encoding : 'utf8';
    if (typeof chunk === 'string') {
      write(this.output, isUtf8(form) ? chunk : Buffer.from(chunk, form));
    } else if (ArrayBuffer.isView(chunk)) {
      write(this.output, Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    } else {
      return super.write(chunk, encoding, callback); // tells what is wrong with it
    }
    if (typeof done === 'function') process.nextTick(done, null);
    return true;
  }

  /** The last words; there will be others. */
  end(chunk, encoding, callback) {
    const isText = chunk !== undefined && chunk !== null && typeof chunk !== 'function';
    if (isText) this.write(chunk, encoding);
    const done = [chunk, encoding, callback].find((one) => typeof one === 'function');
    if (done) process.nextTick(done);
    return this;
  }

  destroy() {
    return this;
  }
}

function isUtf8(encoding) {
  return /^utf-?8$/i.test(encoding);
}

/** What a person or a program types for one block; asks for a line when somebody wants it. */
class Input extends Readable {
  constructor(path, ask) {
    super();
    this.path = path;
    this.ask = ask;
    this.fd = 0;
    this.prompt = null; // of a question that waits to be asked
    this.questioner = null; // the readline interface that asks
    this.isSecret = false;
    this.source = null;
    this.isWanted = false;
    this.isAsked = false;
  }

  _read() {
    this.isWanted = true;
    this.askSoon();
  }

  resume() {
    super.resume();
    this.askSoon();
    return this;
  }

  pause() {
    super.pause();
    this.source?.unref();
    return this;
  }

  ref() {
    this.source?.ref();
    return this;
  }

  unref() {
    this.source?.unref();
    return this;
  }

  /** Not at once: who has got a line may want no more. */
  askSoon() {
    if (this.isWanted && !this.isAsked) setImmediate(() => this.askNow());
  }

  askNow() {
    const isRead = this.readableFlowing === true || this.listenerCount('readable') > 0;
    if (!this.isWanted || !isRead || this.isIdle() || this.destroyed) return;
    this.open();
    this.source.ref();
    if (this.isAsked) return;
    this.isAsked = true;
    this.ask(this.prompt ?? '', this.isSecret);
    this.prompt = null;
    this.source.resume();
  }

  /** Whether it is read only by an interface that was left open behind its last question. */
  isIdle() {
    const { questioner } = this;
    return this.prompt === null && questioner !== null && questioner.listenerCount('line') === 0;
  }

  open() {
    if (this.source !== null) return;
    const fd = fs.openSync(this.path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    this.source = new net.Socket({ fd, readable: true, writable: false });
    this.source.on('data', (data) => this.take(data));
    this.source.on('end', () => this.take(null));
    this.source.on('error', () => this.take(null));
  }

  take(data) {
    this.isWanted = this.isAsked = false;
    this.source.pause();
    this.source.unref();
    this.push(data);
  }

  _destroy(error, callback) {
    this.source?.destroy();
    callback(error);
  }
}

/** Owner of the three streams. */
class Streams {
  /** `ask(prompt, isSecret)` shows a question. */
  constructor(output, ask) {
    this.output = output;
    this.ask = (prompt, isSecret) => ask(String(prompt).slice(0, PROMPT_LIMIT), isSecret);
    this.path = '';
    this.input = null;
    const [stdout, stderr] = [new Output(output, 1), new Output(output, 2)];
    this.define('stdout', () => stdout);
    this.define('stderr', () => stderr);
    this.define('stdin', () => (this.input ??= new Input(this.path, this.ask)));
    this.watchPrompts();
    globalThis.prompt = (message = '') => this.askAtOnce(message);
  }

  define(name, get) {
    Object.defineProperty(process, name, { get, configurable: true, enumerable: true });
  }

  /** From now on input comes from there; the standard descriptors are open again. */
  renew(path) {
    this.path = path;
    this.input?.removeAllListeners();
    this.input?.destroy();
    this.input = null;
    reopen(0, path, 'r');
    for (const fd of [1, 2]) {
      if (!isOpen(fd)) fs.openSync(`/dev/fd/${this.output}`, 'w'); // takes the lowest number
    }
  }

  /** A question of `readline` is asked in the timeline, in the place of being printed. */
  watchPrompts() {
    const readline = require('readline');
    const base = Object.getPrototypeOf(readline.Interface.prototype);
    const streams = this;
    const original = base.prompt;
    base.prompt = function prompt(...given) {
      if (this.input !== streams.input || this.input === null) return original.apply(this, given);
      this.input.prompt = this.getPrompt();
      this.input.questioner = this;
      this.input.isSecret = Object.hasOwn(this, '_writeToOutput'); // how people hide what is typed
      this.resume();
      this.input.askSoon();
    };
    closeBehindLoops(base);
  }

  /** The `prompt` of browsers; null at the end of input. */
  askAtOnce(message) {
    const fd = fs.openSync(this.path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const line = [];
    const byte = Buffer.alloc(1);
    try {
      let isAsked = false;
      for (;;) {
        const count = readSome(fd, byte);
        if (count === null) {
          if (!isAsked) this.ask(message, false);
          isAsked = true;
          Atomics.wait(pause, 0, 0, LOOK_MS); // not in the system's `read`: that cannot be stopped
        } else if (count === 0 || byte[0] === 10) {
          return count === 0 && line.length === 0 ? null : Buffer.from(line).toString();
        } else {
          line.push(byte[0]);
        }
      }
    } finally {
      fs.closeSync(fd);
    }
  }
}

/** A loop over lines that is left closes its interface, as is documented; Node 20 forgets to. */
function closeBehindLoops(base) {
  const original = base[Symbol.asyncIterator];
  base[Symbol.asyncIterator] = function (...given) {
    const lines = original.apply(this, given);
    const leave = lines.return;
    lines.return = (...values) => {
      this.close();
      return leave.apply(lines, values);
    };
    return lines;
  };
}

/** How many bytes were read; null if there are none yet. */
function readSome(fd, buffer) {
  try {
    return fs.readSync(fd, buffer);
  } catch (error) {
    if (error.code === 'EAGAIN') return null;
    throw error;
  }
}

function isOpen(fd) {
  try {
    fs.fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}

function reopen(fd, path, flags) {
  if (isOpen(fd)) fs.closeSync(fd);
  fs.openSync(path, flags); // takes the lowest number
}

module.exports = { Streams };
