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
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, (item) => textOf(item) ?? 'null').join()}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON());
  return textOfObject(value);
}

/** Text that JSON writes unchanged: no control character, quote, backslash or unpaired surrogate. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

function textOfObject(value: object): string {
  let text = '';
  for (const name of namesInOrder(value)) {
    const member = textOf(Reflect.get(value, name));
    if (member !== undefined) text += `${text === '' ? '' : ','}${nameText(name)}:${member}`;
  }
  return `{${text}}`;
}

interface Shape {
  readonly names: readonly string[];
  readonly inOrder: readonly string[];
}

/**
 * The last shape written for each number of members and first name. An object of the same shape needs no sorting. Added
 * when a new combination is written, up to `WRITTEN_MAX`; replaced when the names differ; never removed.
 */
const shapes = new Map<string, Shape>();

/** Returns an object's names, sorted. A comparison with a known shape is faster than sorting. */
function namesInOrder(value: object): readonly string[] {
  const names = Object.keys(value);
  const key = `${names.length} ${names[0] ?? ''}`;
  const known = shapes.get(key);
  if (known !== undefined && known.names.every((name, place) => name === names[place])) return known.inOrder;
  const inOrder = names.toSorted();
  if (known !== undefined || shapes.size < WRITTEN_MAX) shapes.set(key, { names, inOrder });
  return inOrder;
}

/**
 * Quoted member names, because the same names recur. Added when a name is first written, up to `WRITTEN_MAX`; never
 * removed.
 */
const written = new Map<string, string>();
const WRITTEN_MAX = 1000;

function nameText(name: string): string {
  const known = written.get(name);
  if (known !== undefined) return known;
  const text = JSON.stringify(name);
  if (written.size < WRITTEN_MAX) written.set(name, text);
  return text;
}
