/** The memory that the main thread and the watcher share, and what stands where in it. */
'use strict';

/** Places in `state`. */
const RUN = 0; // the number of the run that goes on, 0 between runs
const STOP = 1; // the number of the last run that is to stop
const HEARD = 2; // counts the stops that the main thread has heard
const CUT = 3; // 1 while a termination of the main thread is under way
const SHOWN = 4; // the line that was shown last
const LOCK = 5; // held by who shows a line
const PURGE = 6; // 1 while `process.nextTick` takes nothing: what was cut off would go on by it
const SIZE = 7;

/** Each block has a cell of its own for its line, as long as there are no more blocks. */
const CELLS = 16384;

function make() {
  return {
    state: new Int32Array(new SharedArrayBuffer(4 * SIZE)),
    lines: new Int32Array(new SharedArrayBuffer(4 * CELLS)),
  };
}

/** The cell of a run. */
function cellOf(number) {
  return number % CELLS;
}

module.exports = { CUT, HEARD, LOCK, PURGE, RUN, SHOWN, STOP, cellOf, make };
