// One text for one value: JSON with the members of every object in the order of their names, as RFC 8785 orders them.
// Must never be asked about what JSON cannot say.

/**
 * A value's canonical JSON. What JSON leaves out of objects, and turns to null in arrays, it does here, too.
 * @throws {TypeError} for a `bigint`, and for a value that is nothing in JSON.
 */
export function canonicalJson(value: unknown): string {
  const text = textOf(value);
  if (text === undefined) throw new TypeError(`expected a value that JSON can say, found ${typeof value}`);
  return text;
}

/** `undefined` for what JSON leaves out. Written out by hand: every command is hashed, and a replacer takes three times as long. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, (item) => textOf(item) ?? 'null').join()}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON());
  return textOfObject(value);
}

/** What JSON writes as it is: no control character, quote, backslash or half of a pair. */
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

/** Of objects with as many members that begin alike, the one that was written last: the same kinds come again and again. */
const shapes = new Map<string, Shape>();

/** An object's names in their order: to sort them takes longer than to see that they are known. */
function namesInOrder(value: object): readonly string[] {
  const names = Object.keys(value);
  const key = `${names.length} ${names[0] ?? ''}`;
  const known = shapes.get(key);
  if (known !== undefined && known.names.every((name, place) => name === names[place])) return known.inOrder;
  const inOrder = names.toSorted();
  if (known !== undefined || shapes.size < WRITTEN_MAX) shapes.set(key, { names, inOrder });
  return inOrder;
}

/** Names as they are written, for the same ones come again and again; so many at the most. */
const written = new Map<string, string>();
const WRITTEN_MAX = 1000;

function nameText(name: string): string {
  const known = written.get(name);
  if (known !== undefined) return known;
  const text = JSON.stringify(name);
  if (written.size < WRITTEN_MAX) written.set(name, text);
  return text;
}
