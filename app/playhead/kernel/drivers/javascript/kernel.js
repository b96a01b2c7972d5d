/** A Node.js that runs blocks of a conversation; what it says and is told stands in `child.py`. */
'use strict';

if (parseInt(process.versions.node, 10) < 18 || !process.features.inspector) {
  console.error(`Node.js 18 or newer, with its inspector, is needed; this is ${process.version}.`);
  process.exit(1);
}

const fs = require('fs');
const path = require('path');
const { Worker } = require('worker_threads');
const activity = require('./activity');
const { own, reply, write } = require('./channel');
const errors = require('./errors');
const { names } = require('./names');
const { Run, STOPPED } = require('./run');
const { Scope, define } = require('./scope');
const shared = require('./shared');
const { Streams } = require('./streams');
const timers = require('./timers');
const { transform } = require('./transform');

const LONGEST_LOOK_MS = 15;
const { setImmediate: soon, setTimeout: later } = timers.original;
const { CUT, HEARD, PURGE, RUN, STOP } = shared;

class Kernel {
  constructor([jobs, replies, nonce]) {
    const { state, lines } = shared.make();
    this.replies = Number(replies);
    this.world = { output: own(1, 'w'), nonce, state, lines };
    this.state = state;
    this.run = null;
    this.exit = process.exit;
    this.streams = new Streams(this.world.output, (...question) => this.run?.ask(...question));
    this.scope = new Scope();
    this.prepare();
    this.watcher = new Worker(path.join(__dirname, 'watcher.js'), {
      workerData: { ...this.world, jobs: Number(jobs) },
      execArgv: [],
    });
    this.watcher.on('message', (message) => this.onMessage(message));
    this.watcher.on('error', (error) => this.onLost(error));
    this.watcher.on('online', () => write(this.replies, reply('ready', process.versions.node)));
  }

  /** Make the process a place for code of others. */
  prepare() {
    process.execArgv = [];
    errors.install();
    timers.install(
      () => this.run,
      () => this.state[PURGE] === 1,
    );
    define(names.lines, this.world.lines);
    define(names.announce, (number, line, last) => this.announce(number, line, last));
    process.exit = (status) => this.endBlock(status);
    activity.install(() => this.run);
    this.listeners = {
      SIGINT: () => this.onSignal(),
      uncaughtException: (thrown) => this.onThrown('uncaughtException', thrown, 'Uncaught'),
      unhandledRejection: (thrown) =>
        this.onThrown('unhandledRejection', thrown, 'Unhandled rejection:'),
      removeListener: () => this.listen(),
    };
    this.listen();
  }

  /** Hear what would end the process, also after code has removed all listeners. */
  listen() {
    for (const [name, listener] of Object.entries(this.listeners)) {
      if (!process.listeners(name).includes(listener)) process.on(name, listener);
    }
  }

  announce(number, line, last) {
    if (this.run?.number !== number) throw STOPPED; // its run was stopped
    this.run.announce(line, last);
  }

  onMessage({ kind, ...message }) {
    if (kind === 'job') this.onJob(message);
    else if (kind === 'stop') this.onStop(message);
    else if (kind === 'calm') this.onCalm();
    else if (kind === 'exit') this.exit.call(process, 0);
  }

  onJob({ number, fields: [id, file, lines, input, folder] }) {
    this.run = new Run(this.world, number, id, path.basename(file));
    if (this.state[STOP] === number) {
      this.stop();
      return;
    }
    this.listen();
    this.streams.renew(input);
    write(this.replies, reply('began'));
    this.before = activity.count();
    try {
      if (folder) process.chdir(folder);
      this.scope.enter(file);
      this.begin(fs.readFileSync(file, 'utf8'), lines === '1');
    } catch (error) {
      this.end(this.run, () => this.run.fail(error));
    }
  }

  begin(code, showsLines) {
    const { run } = this;
    const plan = this.plan(code, showsLines);
    if (plan === null) {
      this.end(run);
      return;
    }
    const value = this.evaluate(plan);
    const show = (shown) => this.end(run, () => plan.hasValue && run.show(shown));
    if (!plan.isAsync && !(plan.hasValue && value instanceof Promise)) {
      show(value);
      return;
    }
    value.then(
      show,
      (thrown) => this.end(run, () => run.fail(thrown)),
    );
  }

  /** The scripts of a block, or null if it cannot be parsed. */
  plan(code, showsLines) {
    const { run } = this;
    try {
      const plan = this.transformed(code, showsLines);
      errors.shifts.set(run.file, plan.shifts);
      return { ...plan, scripts: plan.scripts.map((one) => this.scope.compile(one, run.file)) };
    } catch (error) {
      const bad = new errors.BadSyntax(code, run.file, error);
      run.print(bad.text);
      run.error = ['SyntaxError', bad.message, bad.line];
      return null;
    }
  }

  /** The block made ready; as it is where only V8 understands it. Raises SyntaxError. */
  transformed(code, showsLines) {
    const { number, cell } = this.run;
    try {
      return transform(code, { number, cell, showsLines });
    } catch (error) {
      if (error.loc && errors.problemOfV8(code) !== null) throw error;
      const scripts = [{ text: code, columnOffset: 0 }];
      return { scripts, declared: [], shifts: new Map(), isAsync: false, hasValue: true };
    }
  }

  /** Run the scripts of a block; the value of the last. */
  evaluate({ scripts, declared }) {
    this.scope.declare(declared);
    return scripts.map((script) => this.scope.runScript(script)).pop();
  }

  /** The code of a block is over: say the last of it, then wait for what it has begun. */
  end(run, say = () => {}) {
    if (run !== this.run || run.isStopped) return;
    run.step();
    try {
      say();
    } catch (error) {
      run.fail(error);
    }
    this.before = activity.afterCode(this.before);
    soon(() => this.drain(run, 1));
  }

  drain(run, wait) {
    if (run !== this.run || run.isEnding) return;
    if (!run.timers.areSet() && !activity.isMoreThan(this.before)) this.finish();
    else later(() => this.drain(run, Math.min(2 * wait, LONGEST_LOOK_MS)), wait).unref();
  }

  /** `process.exit` of a block: it ends here and now, the process lives on. */
  endBlock(status = process.exitCode) {
    if (this.run === null) throw STOPPED;
    this.run.status = Number(status ?? 0) & 0xff;
    this.run.isEnding = this.run.isGone = this.run.hasExited = true;
    this.watcher.postMessage('cut');
    for (;;); // not even `finally` is to go on
  }

  onStop({ number, isForced }) {
    Atomics.add(this.state, HEARD, 1);
    const { run } = this;
    if (run?.number !== number || run.isEnding) return;
    const handlers = process.listenerCount('SIGINT') - 1;
    if (handlers > 0 && !isForced) {
      if (!run.isAsked) process.emit('SIGINT', 'SIGINT', 2);
      run.isAsked = true;
      return;
    }
    this.stop();
  }

  stop() {
    this.run.isStopped = this.run.isGone = true;
    this.finish();
  }

  /** The code that was to be cut off is. */
  onCalm() {
    if (this.run?.isEnding) this.finish();
  }

  /** Tell the host; not while something is about to cut us off in the middle of it. */
  finish() {
    const { run } = this;
    run.isEnding = true;
    Atomics.store(this.state, RUN, 0);
    if (Atomics.load(this.state, CUT)) return;
    if (this.state[STOP] === run.number && !run.hasExited) run.isStopped = run.isGone = true;
    if (run.isGone) this.clear(run);
    if (!run.isStopped && run.status === '' && process.exitCode !== undefined) {
      run.status = Number(process.exitCode) & 0xff;
    }
    process.exitCode = undefined;
    const text = run.replies();
    this.run = null;
    write(this.replies, text);
  }

  /** Let nothing of a run go on. */
  clear(run) {
    activity.endWorkers(run);
    run.timers.clear();
    this.state[PURGE] = 1;
    soon(() => (this.state[PURGE] = 0));
  }

  /** Without the watcher there is neither code nor Stop: better to be started anew. */
  onLost(error) {
    write(this.world.output, errors.textOf(error));
    this.exit.call(process, 1);
  }

  onSignal() {
    if (process.listenerCount('SIGINT') > 1 || this.run === null) return;
    if (!this.run.isEnding) this.stop();
  }

  onThrown(event, thrown, head) {
    if (thrown === STOPPED || process.listenerCount(event) > 1) return;
    if (this.run !== null) this.run.fail(thrown, head);
    else write(this.world.output, errors.textOf(thrown, head));
  }
}

new Kernel(process.argv.slice(2));
