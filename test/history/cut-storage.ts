// A journal as it was at an earlier moment: only its first bytes. Must never change the journal.
import type { Storage } from '../../src/tape/journal/storage.ts';
import { segmentsOf } from '../../src/tape/format/segment-files.ts';

/** Bytes of all files of a journal. */
export const journalBytes = (storage: Storage): number =>
  segmentsOf(storage).reduce((sum, { name }) => sum + storage.sizeOf(name), 0);

/** The first bytes of a journal. A packed file appears as a whole. */
export function cutStorage(storage: Storage, bytes: number): Storage {
  const sizes = new Map<string, number>();
  let left = bytes;
  for (const { name, isPacked } of segmentsOf(storage)) {
    const size = storage.sizeOf(name);
    if (left <= 0 || (isPacked && left < size)) break;
    sizes.set(name, Math.min(size, left));
    left -= size;
  }
  const sizeOf = (name: string): number => sizes.get(name) ?? storage.sizeOf(name);
  const readInto = (name: string, from: number, memory: Uint8Array): number =>
    storage.readInto(name, from, memory.subarray(0, Math.max(0, Math.min(memory.length, sizeOf(name) - from))));
  return new Proxy(storage, {
    get(target, key) {
      if (key === 'listFiles') return () => target.listFiles().filter((name) => sizes.has(name));
      if (key === 'sizeOf') return sizeOf;
      if (key === 'readInto') return readInto;
      if (key === 'readBytes')
        return (name: string, from: number, count: number): Uint8Array => {
          const memory = new Uint8Array(count);
          return memory.subarray(0, readInto(name, from, memory));
        };
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
