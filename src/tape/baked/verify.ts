// Checks every byte of a baked file, including those that only other programs read. Must never report a file with a
// changed byte as sound.
import { crc32 } from 'node:zlib';
import { type SealedNotes, readNotes } from './notes.ts';
import { OpenFile } from './open-file.ts';
import { openBaked } from './reader.ts';

/**
 * Reads a whole baked file.
 * @returns its count of rows.
 * @throws {BakedFault} for the first problem found.
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

/** Checks the bytes before, between and behind the blocks, which other programs need to read the file. */
function verifySurroundings(file: OpenFile, { blocks, sealAt, surroundingsSum }: SealedNotes): void {
  let [sum, at] = [0, 0];
  const addUntil = (end: number): void => {
    const bytes = Buffer.alloc(Math.max(0, end - at));
    file.readInto(bytes, at);
    sum = crc32(bytes, sum);
  };
  for (const { bodyAt, bodyBytes } of blocks.toSorted((a, b) => a.bodyAt - b.bodyAt)) {
    addUntil(bodyAt);
    at = bodyAt + bodyBytes;
  }
  addUntil(sealAt);
  if (sum === surroundingsSum) return;
  const where = `the bytes before, between and behind its ${blocks.length} blocks, up to byte ${sealAt},`;
  throw file.damage(`${where} do not fit their checksum, so that other programs may misread it`);
}

/** Reads every block and its texts, which checks their checksums. */
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
