/** The second thread: takes the host's lines, shows the line that runs, cuts code off at a stop. */
'use strict';

const inspector = require('inspector');
const net = require('net');
const { parentPort, workerData } = require('worker_threads');
const { fieldsOf, mark, write } = require('./channel');
const { CUT, HEARD, LOCK, PURGE, RUN, SHOWN, STOP, cellOf } = require('./shared');

const SAMPLE_MS = 33;
const HEARING_MS = 6; // an idle main thread hears a message sooner
const AGAIN_MS = 60;
const PATIENCE_MS = 220; // for what the code itself does at an interrupt
const FAREWELL_MS = 2000;

const { state, lines, jobs, output, nonce } = workerData;
const waiting = [];
let current = { number: 0, run: '' };
let sampler = null;
let stopping = null;

function onJob(fields) {
  if (Atomics.load(state, CUT)) {
    waiting.push(fields);
    return;
  }
  current = { number: current.number + 1, run: fields[0] };
  stopping = null;
  Atomics.store(state, PURGE, 0);
  Atomics.store(state, LOCK, 0); // a main thread that was cut off may have left it locked
  Atomics.store(state, SHOWN, 0);
  Atomics.store(state, RUN, current.number);
  parentPort.postMessage({ kind: 'job', number: current.number, fields });
  if (fields[2] === '1' && sampler === null) sampler = setInterval(sample, SAMPLE_MS);
}

function isOver(number) {
  return Atomics.load(state, RUN) !== number;
}

function sample() {
  if (isOver(current.number)) {
    clearInterval(sampler);
    sampler = null;
    return;
  }
  const line = lines[cellOf(current.number)];
  if (line === 0 || line === Atomics.load(state, SHOWN)) return;
  // Not waited for: the main thread is about to show a line itself.
  if (Atomics.compareExchange(state, LOCK, 0, 1) !== 0) return;
  if (!isOver(current.number) && line === lines[cellOf(current.number)]) {
    write(output, mark(nonce, 'line', current.run, { line }));
    Atomics.store(state, SHOWN, line);
  }
  Atomics.store(state, LOCK, 0);
  Atomics.notify(state, LOCK);
}

function onStop(run) {
  if (run !== current.run || isOver(current.number) || stopping !== null) return;
  stopping = { number: current.number, since: Date.now(), cuts: 0 };
  Atomics.store(state, STOP, current.number);
  insist();
}

/** Tell the main thread to stop, cut off what it does if it does not hear, until the run ends. */
function insist() {
  if (stopping === null || isOver(stopping.number)) return;
  const heard = Atomics.load(state, HEARD);
  const isForced = Date.now() - stopping.since >= PATIENCE_MS;
  parentPort.postMessage({ kind: 'stop', number: stopping.number, isForced });
  setTimeout(() => {
    if (Atomics.load(state, HEARD) === heard) cut();
  }, HEARING_MS);
  setTimeout(insist, AGAIN_MS);
}

/** Terminate what runs in the main thread; never once it has begun to end the run. */
function cut() {
  if (Atomics.load(state, CUT)) return;
  Atomics.store(state, CUT, 1);
  if (stopping !== null && stopping.cuts++ > 0) Atomics.store(state, PURGE, 1);
  if (isOver(current.number)) {
    Atomics.store(state, CUT, 0);
    return;
  }
  const session = new inspector.Session();
  session.connectToMainThread();
  // An idle thread is cut off at the next thing that it does.
  const nudge = setInterval(() => parentPort.postMessage({ kind: 'nudge' }), 10);
  session.post('Runtime.terminateExecution', () => {
    clearInterval(nudge);
    session.disconnect();
    calm();
  });
}

function calm() {
  Atomics.store(state, CUT, 0);
  parentPort.postMessage({ kind: 'calm' });
  while (waiting.length > 0 && !Atomics.load(state, CUT)) onJob(waiting.shift());
}

function onLine(line) {
  const fields = fieldsOf(line);
  if (fields[0] === 'stop' && fields.length === 2) onStop(fields[1]);
  else onJob(fields);
}

function listen() {
  let held = '';
  const socket = new net.Socket({ fd: jobs, readable: true, writable: false });
  socket.setEncoding('latin1');
  socket.on('data', (text) => {
    const parts = (held + text).split('\n');
    held = parts.pop();
    parts.forEach(onLine);
  });
  socket.on('end', () => {
    parentPort.postMessage({ kind: 'exit' });
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), FAREWELL_MS);
  });
  socket.on('error', () => process.kill(process.pid, 'SIGKILL'));
}

parentPort.on('message', cut);
listen();
