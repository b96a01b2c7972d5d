/**
 * Makes of a block what can be run: names that outlive it, `await` and `import` at the top level,
 * and stores of the line that runs. Lines stay where they are.
 *
 * `let`, `const` and `class` at the top level become `var`, so that a later block may declare them
 * again. A block that awaits is an async function with its names declared outside of it.
 */
'use strict';

const acorn = require('./acorn/acorn.js');
const { Edits } = require('./edits');
const { names } = require('./names');

const OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
  preserveParens: true,
  locations: true,
};
const ASYNC_HEAD = '(async()=>{';
const FUNCTION = /Function/;
const LOOP = /^(For|While|DoWhile)/;

function parse(code) {
  return acorn.parse(code, OPTIONS);
}

/**
 * `scripts` [{text, columnOffset}], to be run one after the other; `hasValue`: whether what the
 * last of them gives is the value of the block; `declared` names; `shifts` of columns; `isAsync`.
 */
function transform(code, { number, cell, showsLines }) {
  const tree = parse(code.startsWith('#!') ? '//' + code.slice(2) : code);
  const block = new Block(code, tree, number, showsLines ? cell : null);
  return block.result();
}

class Block {
  constructor(code, tree, number, cell) {
    this.edits = new Edits(code);
    this.code = code;
    this.number = number;
    this.cell = cell;
    this.body = tree.body;
    this.declared = new Set();
    this.isAsync = awaits(tree);
    if (code.startsWith('#!')) this.edits.replace(0, 2, '//');
    const last = this.body.findLast((node) => node.type !== 'EmptyStatement');
    this.hasValue = last?.type === 'ExpressionStatement';
    this.body.forEach((node) => this.top(node, node === last));
  }

  result() {
    const { edits, isAsync, hasValue } = this;
    const functions = this.body.filter((node) => undecorated(node).type === 'FunctionDeclaration');
    const shifts = edits.shifts();
    const declared = [...this.declared];
    const plan = { declared, shifts, isAsync, hasValue };
    if (!isAsync) return { ...plan, scripts: [{ text: edits.apply(), columnOffset: 0 }] };
    const variables = declared.length > 0 ? `\nvar ${declared.join()};` : '';
    const outside = this.only(functions) + variables;
    for (const node of functions) edits.blank(node.start, node.end);
    const inside = `${ASYNC_HEAD}${edits.apply()}\n})()`;
    const scripts = [
      { text: outside, columnOffset: 0 },
      { text: inside, columnOffset: -ASYNC_HEAD.length },
    ];
    return { ...plan, scripts };
  }

  /** The text of these statements, everything else blank. */
  only(nodes) {
    let at = 0;
    const parts = [];
    const blank = (text) => text.replace(/[^\r\n\u2028\u2029]/g, ' ');
    for (const node of nodes) {
      parts.push(blank(this.code.slice(at, node.start)), this.edits.apply(node.start, node.end));
      at = node.end;
    }
    return parts.join('');
  }

  top(node, isLast) {
    const inner = undecorated(node);
    if (isExport(node)) this.export(node);
    const isAnnounced = inner.type !== 'FunctionDeclaration' && !(inner.directive && !isLast);
    if (isAnnounced && inner.type !== 'EmptyStatement') {
      const { start, end } = node.loc;
      const { announce } = names;
      const mark = `${announce}(${this.number},${start.line},${end.line});`;
      const at = isExport(node) && inner === node ? node.start : inner.start;
      this.edits.open(at, this.cell === null ? ';' : ';' + mark);
    }
    this.declaration(inner);
    if (inner.type === 'ExpressionStatement' && isLast && this.isAsync) this.return(inner);
    this.inside(inner, { line: node.loc.start.line, isTop: true });
  }

  /** The last expression is what the async function gives. */
  return(node) {
    this.edits.open(node.start, 'return(');
    this.edits.close(this.code[node.end - 1] === ';' ? node.end - 1 : node.end, ')');
  }

  export(node) {
    const { declaration } = node;
    if (!declaration) this.edits.blank(node.start, node.end);
    else if (undecorated(node) !== node) this.edits.blank(node.start, declaration.start);
    else this.edits.replace(node.start, declaration.start, 'exports.default=');
  }

  declaration(node) {
    if (node.type === 'ImportDeclaration') this.import(node);
    else if (node.type === 'ClassDeclaration' && node.id) this.class(node);
    else if (node.type === 'FunctionDeclaration' && node.id) this.declared.add(node.id.name);
    else if (node.type === 'VariableDeclaration') this.variables(node, true);
  }

  class(node) {
    this.declared.add(node.id.name);
    this.edits.open(node.start, `${this.isAsync ? '' : 'var '}${node.id.name}=`);
    this.edits.close(node.end, ';');
  }

  /** A declaration whose names shall be seen by later blocks. */
  variables(node, isStatement) {
    if (/using/.test(node.kind)) return;
    for (const { id } of node.declarations) bound(id, this.declared);
    const end = node.start + node.kind.length;
    if (!this.isAsync) {
      this.edits.replace(node.start, end, 'var'.padEnd(node.kind.length));
      return;
    }
    this.edits.blank(node.start, end);
    for (const { id, init } of node.declarations) {
      if (init === null && node.kind === 'let' && isStatement) this.edits.close(id.end, '=void 0');
      if (init === null || id.type === 'Identifier') continue;
      this.edits.open(id.start, '(');
      this.edits.close(init.end, ')');
    }
  }

  /** `import … from` as an `await` of what `import()` gives. */
  import(node) {
    const wanted = [];
    const sets = [];
    for (const { type, imported, local } of node.specifiers) {
      this.declared.add(local.name);
      if (type === 'ImportNamespaceSpecifier') sets.push(`${local.name}=$`);
      const isDefault = type === 'ImportDefaultSpecifier';
      const name = isDefault ? 'default' : (imported?.name ?? imported?.value);
      if (name === undefined) continue;
      wanted.push(name);
      sets.push(`${local.name}=$[${JSON.stringify(name)}]`);
    }
    const attributes = (node.attributes ?? []).map(
      ({ key, value }) => `${JSON.stringify(key.name ?? key.value)}:${value.raw}`,
    );
    const given = [node.source.raw, `{with:{${attributes.join()}}}`, JSON.stringify(wanted)];
    const head = attributes.length > 0 ? given : [given[0], 'void 0', given[2]];
    const lines = this.code.slice(node.start, node.end).replace(/[^\n]/g, '');
    const text = `(($)=>{${sets.join(';')}})(await ${names.load}(${head.join()}));${lines}`;
    this.edits.replace(node.start, node.end, text);
  }

  /** Everything inside a node; `line` is the one that is known to be lit there, if any. */
  inside(node, scope) {
    for (const key of Object.keys(node)) {
      const value = node[key];
      if (key === 'loc' || value === null || typeof value !== 'object') continue;
      if (!Array.isArray(value)) this.visit(value, scope, key, node);
      else for (const one of value) if (one) this.visit(one, scope, key, node);
    }
  }

  visit(node, scope, key, parent) {
    if (typeof node.type !== 'string') return;
    if (FUNCTION.test(node.type)) this.function(node, scope);
    else if (node.type === 'StaticBlock') this.sequence(node.body, { line: 0 });
    else if (node.type === 'BlockStatement') this.sequence(node.body, scope);
    else if (node.type === 'SwitchCase') this.case(node, scope);
    else if (isBody(key, parent) && node.type !== 'EmptyStatement') this.single(node, scope, key);
    else this.other(node, scope);
  }

  other(node, scope) {
    const { type } = node;
    if (type === 'ImportExpression') this.edits.replace(node.start, node.start + 6, names.load);
    if (type === 'MetaProperty' && node.meta.name === 'import') {
      this.edits.replace(node.start, node.end, names.meta);
    }
    if (type === 'PropertyDefinition') this.inside(node, { line: scope.line });
    else {
      if (type === 'VariableDeclaration' && scope.isTop && node.kind === 'var') {
        this.variables(node, false);
      }
      this.inside(node, LOOP.test(type) ? { ...scope, line: within(node, scope.line) } : scope);
    }
  }

  case(node, scope) {
    if (node.test) this.visit(node.test, scope, 'test', node);
    this.sequence(node.consequent, { ...scope, line: 0 });
  }

  function(node, scope) {
    for (const parameter of node.params) this.visit(parameter, { line: scope.line }, 'param', node);
    const line = within(node, scope.line);
    const { body } = node;
    if (body.type === 'BlockStatement') {
      this.sequence(body.body, { line });
      return;
    }
    const isElsewhere = this.cell !== null && body.loc.start.line !== line;
    if (isElsewhere) this.edits.open(body.start, `(${this.store(body, ',')}`);
    this.visit(body, { line: body.loc.start.line }, 'arrow', node);
    if (isElsewhere) this.edits.close(body.end, ')');
  }

  /** Statements that follow each other. */
  sequence(nodes, scope) {
    let { line } = scope;
    for (const node of nodes) {
      const { start, end } = node.loc;
      const isStored = isStep(node) && start.line !== line;
      if (isStored && this.cell !== null) this.edits.open(node.start, this.store(node, ';'));
      if (isStored) line = start.line;
      this.visit(node, { ...scope, line }, 'statement', node);
      if (start.line !== end.line) line = 0;
    }
  }

  /** The one statement of an `if` or a loop without braces. */
  single(node, scope, key) {
    const { line } = node.loc.start;
    const isElseIf = key === 'alternate' && node.type === 'IfStatement';
    const isStored = this.cell !== null && line !== scope.line && !isElseIf;
    if (isStored) this.edits.open(node.start, `{${this.store(node, ';')}`);
    this.visit(node, { ...scope, line }, 'statement', node);
    if (isStored) this.edits.close(node.end, '}');
  }

  store(node, end) {
    return `${names.lines}[${this.cell}]=${node.loc.start.line}${end}`;
  }
}

/** The line that stays lit inside a loop or function: none where another one can have been lit. */
function within({ loc }, line) {
  return loc.start.line === loc.end.line ? line : 0;
}

function isExport(node) {
  return /^Export/.test(node.type);
}

/** The declaration that is exported, or the statement itself. */
function undecorated(node) {
  const { declaration } = node;
  const isNamed = declaration && /Declaration$/.test(declaration.type);
  return isExport(node) && isNamed && (declaration.id || declaration.declarations)
    ? declaration
    : node;
}

function isStep(node) {
  return !/^(FunctionDeclaration|EmptyStatement)$/.test(node.type) && !node.directive;
}

function isBody(key, parent) {
  if (parent.type === 'IfStatement') return key === 'consequent' || key === 'alternate';
  return key === 'body' && LOOP.test(parent.type);
}

/** Whether anything outside of functions waits. */
function awaits(node) {
  if (node.type === 'AwaitExpression' || node.type === 'ImportDeclaration') return true;
  if (node.type === 'ForOfStatement' && node.await) return true;
  if (node.type === 'VariableDeclaration' && /using/.test(node.kind)) return true;
  if (FUNCTION.test(node.type) || /^(PropertyDefinition|StaticBlock)$/.test(node.type)) {
    return false;
  }
  return Object.keys(node).some((key) => {
    const value = node[key];
    if (key === 'loc' || value === null || typeof value !== 'object') return false;
    const inner = Array.isArray(value) ? value : [value];
    return inner.some((one) => one && typeof one.type === 'string' && awaits(one));
  });
}

/** The names that a pattern binds. */
function bound(pattern, found) {
  switch (pattern?.type) {
    case 'Identifier':
      found.add(pattern.name);
      break;
    case 'ObjectPattern':
      pattern.properties.forEach((one) => bound(one.value ?? one.argument, found));
      break;
    case 'ArrayPattern':
      pattern.elements.forEach((one) => bound(one, found));
      break;
    case 'AssignmentPattern':
      bound(pattern.left, found);
      break;
    case 'RestElement':
      bound(pattern.argument, found);
  }
}

module.exports = { parse, transform };
