// A UUID made of a name: for wires that give a thing an id beside its name, where nothing but the name is known. Pure.
// Must never be taken for an id that anyone else knows.

const PRIME = 0x01000193;
/** Where each of the four words of an id begins, so that they differ. */
const SEEDS = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35] as const;

/** The id of a name: the same for the same name, of version 8, which is anyone's own. */
export function nameId(name: string): string {
  const hex = SEEDS.map((seed) => wordOf(name, seed).toString(16).padStart(8, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}

/** A word of 32 bits in which every character counts. */
function wordOf(name: string, seed: number): number {
  let word = seed;
  for (let at = 0; at < name.length; at++) word = Math.imul(word ^ name.charCodeAt(at), PRIME);
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}
