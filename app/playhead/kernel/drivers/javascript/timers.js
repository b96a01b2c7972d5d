/** Timers that know which run has set them: it lasts as long as they do, and they end with it. */
'use strict';

const timers = require('timers');
const promises = require('timers/promises');
const { syncBuiltinESMExports } = require('module');
const { promisify } = require('util');

/** The functions as Node made them. */
const original = { ...timers };

const LEAST_LIMIT = 1000;

/** The timers that a run has set, as far as they may still be waited for. */
class Timers {
  constructor() {
    this.set = new Set();
    this.limit = LEAST_LIMIT;
    this.waits = 0;
  }

  add(timer) {
    this.set.add(timer);
    if (this.set.size < this.limit) return;
    this.forget();
    this.limit = Math.max(LEAST_LIMIT, 2 * this.set.size);
  }

  wait(promise) {
    this.waits++;
    const over = () => this.waits--;
    promise.then(over, over);
  }

  /** Whether any is still to come. */
  areSet() {
    if (this.waits > 0) return true;
    this.forget();
    for (const timer of this.set) if (timer.hasRef()) return true;
    return false;
  }

  /** Drop those that are over. */
  forget() {
    for (const timer of this.set) if (timer._destroyed) this.set.delete(timer);
  }

  clear() {
    for (const timer of this.set) original.clearTimeout(timer);
    this.set.clear();
  }
}

/**
 * Put ours in the place of Node's. `current()` is the run that goes on, or null; nothing more is
 * put behind the code that runs while `isPurging()`.
 */
function install(current, isPurging) {
  const { nextTick } = process;
  process.nextTick = function (...given) {
    if (!isPurging()) Reflect.apply(nextTick, process, given);
  };
  let scope = null; // the run whose timer's callback is running
  // One that was cut off has not put back what was before it.
  const owner = () => (scope === null || scope.isGone ? current() : scope);

  function gated(callback, run, cancel) {
    return function (...given) {
      if (run.isGone) {
        cancel(this);
        return;
      }
      const before = scope;
      scope = run;
      try {
        Reflect.apply(callback, this, given);
      } finally {
        scope = before;
      }
    };
  }

  function callbacks(name, cancel) {
    const make = original[name];
    const replaced = {
      [name](callback, ...rest) {
        const run = owner();
        if (run === null || typeof callback !== 'function') return make(callback, ...rest);
        const timer = make(gated(callback, run, cancel), ...rest);
        if (name !== 'setImmediate') run.timers.add(timer);
        return timer;
      },
    }[name];
    globalThis[name] = timers[name] = replaced;
    return replaced;
  }

  function waits(name) {
    const make = promises[name];
    promises[name] = {
      [name](...given) {
        const run = owner();
        const isHeld = run !== null && name === 'setTimeout' && given[2]?.ref !== false;
        const waiting = make(...given);
        if (isHeld) run.timers.wait(waiting);
        return waiting.then((value) => (run?.isGone ? new Promise(() => {}) : value));
      },
    }[name];
    return promises[name];
  }

  const cancels = { setTimeout: original.clearTimeout, setImmediate: original.clearImmediate };
  for (const [name, cancel] of Object.entries(cancels)) {
    const value = waits(name);
    Object.defineProperty(callbacks(name, cancel), promisify.custom, { enumerable: true, value });
  }
  callbacks('setInterval', original.clearInterval);
  const ticks = promises.setInterval;
  promises.setInterval = async function* setInterval(...given) {
    const run = owner();
    for await (const value of ticks(...given)) {
      if (run?.isGone) return;
      yield value;
    }
  };
  syncBuiltinESMExports();
}

module.exports = { Timers, install, original };
