/** What the code of blocks calls in the kernel, by names that nobody else uses. */
'use strict';

const names = {
  announce: '__playhead_at',
  lines: '__playhead_l',
  load: '__playhead_import',
  meta: '__playhead_meta',
};

const { lines, load, meta } = names;
const STORES = new RegExp(`${lines}\\[\\d+\\]=\\d+[;,]`, 'g');
const LOADS = new RegExp(load, 'g');
const METAS = new RegExp(meta, 'g');

/** The source of a function without what was put in: it may be meant for another process. */
function cleaned(source) {
  if (!source.includes('__playhead_')) return source;
  return source.replace(STORES, '').replace(LOADS, 'import').replace(METAS, 'import.meta');
}

module.exports = { cleaned, names };
