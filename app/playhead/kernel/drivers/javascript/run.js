/** One run of a block: its values, lines and times, and how it ended. */
'use strict';

const { EventEmitter } = require('events');
const { performance } = require('perf_hooks');
const util = require('util');
const { mark, reply, write } = require('./channel');
const { fieldsOf, textOf } = require('./errors');
const { LOCK, SHOWN, cellOf } = require('./shared');
const { Timers } = require('./timers');

const TIMES_LIMIT = 2000;
const STRING_LIMIT = 10000;

/** Thrown where code of a stopped run would go on. */
const STOPPED = Symbol('stopped');

class Run {
  /** `kernel` {output, nonce, state, lines}. */
  constructor(kernel, number, id, file) {
    this.kernel = kernel;
    this.number = number;
    this.id = id;
    this.file = file;
    this.cell = cellOf(number);
    this.isStopped = false;
    this.isGone = false; // its timers do nothing any more
    this.isEnding = false;
    this.hasExited = false;
    this.status = '';
    this.times = [];
    this.timers = new Timers();
    this.begun = null;
    this.error = null;
    this.questions = 0;
    kernel.lines[this.cell] = 0;
  }

  /** A statement of the top level begins. */
  announce(line, last) {
    if (this.isGone) throw STOPPED;
    this.step();
    const { state, lines } = this.kernel;
    while (Atomics.compareExchange(state, LOCK, 0, 1) !== 0) Atomics.wait(state, LOCK, 1, 5);
    lines[this.cell] = line;
    if (line !== state[SHOWN]) {
      this.mark('line', { line });
      state[SHOWN] = line;
    }
    Atomics.store(state, LOCK, 0);
    this.begun = { line, last, at: performance.now() };
  }

  /** The statement that ran is over. */
  step() {
    if (this.begun === null) return;
    const { line, last, at } = this.begun;
    const seconds = (performance.now() - at) / 1000;
    if (this.times.length < TIMES_LIMIT) this.times.push([line, seconds.toFixed(7), last]);
    this.begun = null;
  }

  mark(kind, fields) {
    write(this.kernel.output, mark(this.kernel.nonce, kind, this.id, fields));
  }

  print(text) {
    write(this.kernel.output, text);
  }

  ask(prompt, secret) {
    this.mark('input', { id: `${this.id}-${++this.questions}`, prompt, secret });
  }

  /** Show the value of the last expression. */
  show(value) {
    if (value === undefined || isHandle(value)) return;
    const text = util.inspect(value, { maxStringLength: STRING_LIMIT });
    this.mark('display');
    this.print(text + '\n');
  }

  /** Something was thrown; the first one is the run's. */
  fail(thrown, head) {
    if (thrown === STOPPED) return;
    this.print(textOf(thrown, head));
    const [name, message, line] = fieldsOf(thrown, this.file);
    this.error ??= [name, message, line || this.line()];
  }

  /** The line of the block that runs, if it is known. */
  line() {
    return this.kernel.lines[this.cell] || '';
  }

  /** What the host is told at the end. */
  replies() {
    const { error, isStopped, status, times } = this;
    const parts = times.map((time) => reply('timing', ...time));
    if (error && !isStopped) parts.push(reply('error', ...error));
    const end = isStopped ? ['interrupted', '', this.line()] : ['finished', status, ''];
    return parts.join('') + reply('end', ...end);
  }
}

/** Timers, servers, children: who ends a block with one wants it to work, not to read it. */
function isHandle(value) {
  if (value === null || typeof value !== 'object' || util.types.isProxy(value)) return false;
  const kind = value.constructor?.name;
  return value instanceof EventEmitter || kind === 'Timeout' || kind === 'Immediate';
}

module.exports = { Run, STOPPED };
