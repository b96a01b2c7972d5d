/** What went wrong in code: as text without our own frames, and as fields for its card. */
'use strict';

const path = require('path');
const util = require('util');
const vm = require('vm');
const { columnBefore } = require('./edits');
const { cleaned } = require('./names');

const PLACE = /(block-\d+\.js):(\d+):(\d+)/g;
const LAST_OWN = 'runScript';
const OURS = __dirname + path.sep;
const MESSAGE_LIMIT = 2000;
const LONGEST_SOURCE = 300;

/** By the name of a block's file: how its columns have moved. */
const shifts = new Map();

/** Show stacks and sources of functions as if code were run as it was written. */
function install() {
  Error.prepareStackTrace = (error, sites) => {
    const frames = ownFramesRemoved(sites).map((site) => '\n    at ' + placed(String(site)));
    return titleOf(error) + frames.join('');
  };
  const { toString } = Function.prototype;
  const shown = {
    toString() {
      return cleaned(toString.call(this === shown ? toString : this));
    },
  }.toString;
  Object.defineProperty(Function.prototype, 'toString', {
    value: shown,
    writable: true,
    configurable: true,
  });
}

function titleOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<its message could not be read>';
  }
}

function ownFramesRemoved(sites) {
  const isOurs = (site) => String(site.getFileName()).startsWith(OURS);
  let end = sites.findIndex((site) => isOurs(site) && site.getFunctionName() === LAST_OWN);
  if (end < 0) end = sites.length;
  else while (end > 0 && sites[end - 1].getFileName() === 'node:vm') end--;
  return sites.slice(0, end).filter((site) => !isOurs(site));
}

function placed(text) {
  return text.replace(PLACE, (all, file, line, column) => {
    const moved = shifts.get(file);
    return moved ? `${file}:${line}:${columnBefore(moved, Number(line), Number(column))}` : all;
  });
}

/** Text about something thrown. */
function textOf(thrown, head = 'Uncaught') {
  try {
    return `${head} ${util.inspect(thrown)}\n${remedy(thrown ?? {})}`;
  } catch {
    return `${head} ${typeof thrown}, which cannot be shown.\n`;
  }
}

/** What to do about a package that is not there. */
function remedy({ code, message }) {
  if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(code)) return '';
  const name = /^Cannot find (?:module|package) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/.exec(message)?.[1];
  return name ? `If it is a package: npm install ${name}\n` : '';
}

/** Name, message and line of something thrown, for a block in `file`. */
function fieldsOf(thrown, file) {
  try {
    const isError = util.types.isNativeError(thrown) || thrown instanceof Error;
    const name = isError ? String(thrown.name) : 'Uncaught';
    const message = isError ? String(thrown.message) : util.inspect(thrown);
    const line = isError ? lineIn(String(thrown.stack), file) : '';
    return [name, message.slice(0, MESSAGE_LIMIT), line];
  } catch {
    return ['Error', 'its message could not be read', ''];
  }
}

function lineIn(stack, file) {
  const found = [...stack.matchAll(PLACE)].find((match) => match[1] === file);
  return found ? found[2] : '';
}

/** A block that cannot be parsed: where, as far as both parsers agree in V8's words, and why. */
class BadSyntax {
  constructor(code, file, error) {
    const { line, column } = error.loc ?? { line: lineOfV8(error, file), column: -1 };
    this.line = line || '';
    this.message = wordsOfV8(code, line) ?? error.message.replace(/ \(\d+:\d+\)$/, '');
    const source = code.split(/\r\n|[\r\n\u2028\u2029]/)[line - 1] ?? '';
    const place = column < 0 ? '' : source.slice(0, column).replace(/[^\t]/g, ' ') + '^\n';
    const shown = source.length > LONGEST_SOURCE ? '' : `${source}\n${place}\n`;
    this.text = `${file}:${line}\n${shown}SyntaxError: ${this.message}\n`;
  }
}

/** What V8 says about the code, if it is about this line; null if it has nothing against it. */
function wordsOfV8(code, line) {
  const problem = problemOfV8(code);
  return problem !== null && problem.line === line ? problem.message : null;
}

function problemOfV8(code) {
  try {
    new vm.Script(code, { filename: 'block' });
    return null;
  } catch (error) {
    return { message: error.message, line: lineOfV8(error, 'block') };
  }
}

/** The line at which V8 cannot go on, as it stands above the error's stack; 0 if it does not. */
function lineOfV8(error, file) {
  const [place] = String(error.stack).split('\n', 1);
  return place.startsWith(`${file}:`) ? Number(place.slice(file.length + 1)) || 0 : 0;
}

module.exports = { BadSyntax, fieldsOf, install, problemOfV8, shifts, textOf };
