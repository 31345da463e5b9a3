// Looks over every byte of a baked file, also those that only other programs read.
// Must never say that a file is sound of which a byte was changed.
import { crc32 } from 'node:zlib';
import { type SealedNotes, readNotes } from './notes.ts';
import { OpenFile } from './open-file.ts';
import { openBaked } from './reader.ts';

/**
 * Reads a baked file whole.
 * @returns how many rows it has.
 * @throws {BakedFault} that names the first thing that is wrong.
 */
export function verifyBaked(path: string): { readonly rows: number } {
  const file = new OpenFile(path);
  try {
    verifySurroundings(file, readNotes(file));
  } finally {
    file.close();
  }
  return { rows: verifyBlocks(path, file) };
}

/** What stands before each block, and behind the last: by it, any other program reads the file. */
function verifySurroundings(file: OpenFile, { blocks, sealAt, surroundingsSum }: SealedNotes): void {
  let [sum, at] = [0, 0];
  const takeUntil = (end: number): void => {
    const bytes = Buffer.alloc(Math.max(0, end - at));
    file.readInto(bytes, at);
    sum = crc32(bytes, sum);
  };
  for (const { bodyAt, bodyBytes } of blocks.toSorted((a, b) => a.bodyAt - b.bodyAt)) {
    takeUntil(bodyAt);
    at = bodyAt + bodyBytes;
  }
  takeUntil(sealAt);
  if (sum === surroundingsSum) return;
  const where = `what stands before, between and behind its ${blocks.length} blocks, up to byte ${sealAt},`;
  throw file.damage(`${where} does not fit its checksum, so that other programs may misread it`);
}

/** Every block and every text has a checksum: to read them is to verify them. */
function verifyBlocks(path: string, file: OpenFile): number {
  const source = openBaked(path);
  try {
    let rows = 0;
    for (const block of source.blocks()) {
      rows += block.count;
      block.text(0);
    }
    if (rows !== source.facts.rows) throw file.damage(`expected ${source.facts.rows} rows, found ${rows}`);
    return rows;
  } finally {
    source.close();
  }
}
