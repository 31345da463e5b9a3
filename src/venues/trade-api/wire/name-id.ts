// Derives a UUID from a name, for wires that carry an id beside the name. Must never be taken for an id that the venue
// assigned.

const PRIME = 0x01000193;
/** Seeds of the four 32-bit words of an id; all differ, so that the words differ. */
const SEEDS = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35] as const;

/** The id of a name: a UUID of version 8 (custom). The same name always has the same id. */
export function idOfName(name: string): string {
  const hex = SEEDS.map((seed) => wordOf(name, seed).toString(16).padStart(8, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}

function wordOf(name: string, seed: number): number {
  let word = seed;
  for (let at = 0; at < name.length; at++) word = Math.imul(word ^ name.charCodeAt(at), PRIME);
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}
