/** What blocks find around them: `require`, `import`, `module`, `__dirname` of the folder. */
'use strict';

const Module = require('module');
const path = require('path');
const { pathToFileURL } = require('url');
const vm = require('vm');
const { names } = require('./names');

const PLACE = '[block].js';

/** The working folder, which may be deleted by now. */
function here() {
  try {
    return process.cwd();
  } catch {
    return path.parse(process.execPath).root;
  }
}

class Scope {
  constructor() {
    this.module = new Module('.', null);
    this.folder = '';
    define(names.load, (...given) => this.load(...given));
    define(names.meta, {});
    process.mainModule = this.module;
  }

  /** A block that stands in this file and runs in the working folder. */
  enter(file) {
    const folder = here();
    this.module.filename = this.module.id = file;
    process.argv = [process.execPath, file];
    const meta = globalThis[names.meta];
    Object.assign(meta, { url: pathToFileURL(file).href, filename: file, dirname: folder });
    if (folder !== this.folder) this.move(folder);
    set('__filename', file);
    set('__dirname', folder);
  }

  move(folder) {
    const place = path.join(folder, PLACE);
    const require = Module.createRequire(place);
    require.main = this.module;
    // A module compiled there: what it imports is looked for from there.
    const importer = new Module(place, null);
    importer.filename = place;
    importer._compile('module.exports = (name, options) => import(name, options);', place);
    this.importer = importer.exports;
    this.folder = folder;
    this.module.path = folder;
    this.module.paths = Module._nodeModulePaths(folder);
    globalThis[names.meta].resolve = (name) => String(pathToFileURL(require.resolve(name)));
    this.module.require = require;
    set('require', require);
    set('module', this.module);
    set('exports', this.module.exports);
  }

  /** `import()`, with the names that must be there. */
  async load(name, options, wanted = []) {
    const loaded = await (options ? this.importer(name, options) : this.importer(name));
    const missing = wanted.find((one) => !(one in loaded));
    if (missing === undefined) return loaded;
    const problem = `does not provide an export named '${missing}'`;
    throw new SyntaxError(`The requested module '${name}' ${problem}`);
  }

  /** Let blocks declare these names, also where Node has put something that cannot be written. */
  declare(declared) {
    for (const name of declared) {
      const found = Object.getOwnPropertyDescriptor(globalThis, name);
      if (found?.configurable && found.writable !== true) set(name, undefined);
    }
  }

  /** Make a script of a block. Raises SyntaxError. */
  compile({ text, columnOffset }, filename) {
    const importModuleDynamically =
      vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER ?? ((name) => this.load(name));
    return new vm.Script(text, { filename, columnOffset, importModuleDynamically });
  }

  /** Run a script of a block; its value. */
  runScript(script) {
    return script.runInThisContext({ displayErrors: false });
  }
}

function define(name, value) {
  Object.defineProperty(globalThis, name, { value });
}

function set(name, value) {
  const found = Object.getOwnPropertyDescriptor(globalThis, name);
  if (found && !found.configurable) {
    globalThis[name] = value; // a block has declared it
    return;
  }
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}

module.exports = { Scope, define };
