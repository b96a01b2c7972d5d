/** Timers that know which run has set them: those of a stopped run do nothing any more. */
'use strict';

const timers = require('timers');
const promises = require('timers/promises');
const { syncBuiltinESMExports } = require('module');
const { promisify } = require('util');

/** The functions as Node made them. */
const original = { ...timers };

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
        const isGated = run !== null && typeof callback === 'function';
        return make(isGated ? gated(callback, run, cancel) : callback, ...rest);
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
        return make(...given).then((value) => (run?.isGone ? new Promise(() => {}) : value));
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

module.exports = { install, original };
