// Writes JSON with the members of every object sorted by name, as in RFC 8785, so that equal values give equal texts.
// Must never be given a value that JSON cannot hold.

/**
 * Canonical JSON of a value. Like `JSON.stringify`, it leaves undefined members out of objects and writes them as null
 * in arrays.
 * @throws {TypeError} for a `bigint`, and for a value that has no JSON, such as a function.
 */
export function canonicalJson(value: unknown): string {
  const text = textOf(value);
  if (text === undefined) throw new TypeError(`expected a value that JSON can hold, found ${typeof value}`);
  return text;
}

/**
 * Returns the text of a value; `undefined` when JSON leaves it out. Written by hand, because `JSON.stringify` with a
 * replacer function takes three times as long.
 */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return quotedText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, (item) => textOf(item) ?? 'null').join()}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON());
  return textOfObject(value);
}

/** Text that JSON writes unchanged: no control character, quote, backslash or unpaired surrogate. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** JSON of a text. */
export const quotedText = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

function textOfObject(value: object): string {
  const { inOrder, opened, continued } = shapeOf(value);
  let text = '';
  for (let place = 0; place < inOrder.length; place++) {
    const member = textOf(Reflect.get(value, inOrder[place] ?? ''));
    if (member === undefined) continue;
    text += text === '' ? opened[place] : continued[place];
    text += member;
  }
  return text === '' ? '{}' : `${text}}`;
}

interface Shape {
  readonly names: readonly string[];
  /** The names, sorted. */
  readonly inOrder: readonly string[];
  /** Each name, sorted, as it opens the object: `{"name":`. */
  readonly opened: readonly string[];
  /** Each name, sorted, as it follows another member: `,"name":`. */
  readonly continued: readonly string[];
}

/**
 * The shapes written so far, by their first name: an object of a known shape needs no sorting. Added when a shape is
 * first written, up to `SHAPES_MAX`; never removed.
 */
const shapes = new Map<string, Shape[]>();
const SHAPES_MAX = 1000;
let shapeCount = 0;

/** Returns an object's shape. A comparison with the known ones is faster than sorting. */
function shapeOf(value: object): Shape {
  const names = Object.keys(value);
  const alike = shapes.get(names[0] ?? '') ?? [];
  for (const shape of alike) if (isSame(shape.names, names)) return shape;
  const inOrder = names.toSorted();
  const quotedNames = inOrder.map((name) => `${JSON.stringify(name)}:`);
  const opened = quotedNames.map((name) => `{${name}`);
  const shape = { names, inOrder, opened, continued: quotedNames.map((name) => `,${name}`) };
  if (shapeCount < SHAPES_MAX) {
    shapeCount += 1;
    shapes.set(names[0] ?? '', [...alike, shape]);
  }
  return shape;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let place = 0; place < a.length; place++) if (a[place] !== b[place]) return false;
  return true;
}
