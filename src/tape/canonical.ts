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
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, (item) => textOf(item) ?? 'null').join()}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON());
  return textOfObject(value);
}

function textOfObject(value: object): string {
  let text = '';
  for (const name of Object.keys(value).sort()) {
    const member = textOf(Reflect.get(value, name));
    if (member !== undefined) text += `${text === '' ? '' : ','}${nameText(name)}:${member}`;
  }
  return `{${text}}`;
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
