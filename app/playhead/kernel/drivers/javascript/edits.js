/** A text with pieces put in, and where its letters came from. */
'use strict';

class Edits {
  constructor(text) {
    this.text = text;
    this.made = [];
  }

  /** Put something before the letter at `at`; what was put there earlier stands further out. */
  open(at, text) {
    this.made.push({ from: at, to: at, text, rank: 1 });
  }

  /** Put something behind the letter before `at`. */
  close(at, text) {
    this.made.push({ from: at, to: at, text, rank: 0 });
  }

  replace(from, to, text) {
    this.made.push({ from, to, text, rank: 2 });
  }

  /** Put nothing in the place of a piece; its lines stay. */
  blank(from, to) {
    this.replace(from, to, this.text.slice(from, to).replace(/[^\r\n\u2028\u2029]/g, ' '));
  }

  /** The text from one place to another with all that was put in. */
  apply(from = 0, to = this.text.length) {
    const parts = [];
    let at = from;
    for (const edit of this.sorted()) {
      if (edit.from < at || edit.to > to) continue; // inside what was replaced
      parts.push(this.text.slice(at, edit.from), edit.text);
      at = edit.to;
    }
    parts.push(this.text.slice(at, to));
    return parts.join('');
  }

  sorted() {
    // A stable sort: of the same rank the earlier one comes first.
    return [...this.made].sort((a, b) => a.from - b.from || a.rank - b.rank);
  }

  /** How far to the right letters have moved: by line, from which new column on, by how many. */
  shifts() {
    const starts = lineStarts(this.text);
    const found = new Map();
    let line = 0;
    let moved = 0;
    for (const { from, to, text } of this.sorted()) {
      const longer = text.length - (to - from);
      if (longer === 0 || /[\r\n]/.test(text)) continue;
      const before = line;
      while (line + 1 < starts.length && starts[line + 1] <= from) line++;
      if (line !== before) moved = 0;
      if (!found.has(line + 1)) found.set(line + 1, []);
      found.get(line + 1).push([from - starts[line] + moved, longer]);
      moved += longer;
    }
    return found;
  }
}

function lineStarts(text) {
  const starts = [0];
  const end = /\r\n|[\r\n\u2028\u2029]/g;
  while (end.exec(text)) starts.push(end.lastIndex);
  return starts;
}

/** The column, counted from one, that a letter had before all that was put in. */
function columnBefore(shifts, line, column) {
  let before = column;
  for (const [from, longer] of shifts.get(line) ?? []) {
    if (column - 1 < from) break;
    before -= Math.min(longer, column - 1 - from);
  }
  return Math.max(1, before);
}

module.exports = { Edits, columnBefore };
