// Checks every byte of a baked file, even bytes that only other programs read. Must never report a file with a changed
// byte as sound.
import { crc32 } from 'node:zlib';
import { type SealedMetadata, readMetadata } from './baked-metadata.ts';
import { BakedFile } from './baked-file.ts';
import { openBakedFile } from './baked-reader.ts';

/**
 * Reads a whole baked file.
 * @returns its count of rows.
 * @throws {BakedFault} for the first problem found.
 */
export function verifyBakedFile(path: string): { readonly rows: number } {
  const file = new BakedFile(path);
  try {
    verifySurroundings(file, readMetadata(file));
  } finally {
    file.close();
  }
  return { rows: verifyBlocks(path, file) };
}

/** Checks the bytes before, between and after the blocks. Other programs need them to read the file. */
function verifySurroundings(file: BakedFile, { blocks, sealAt, surroundingsSum }: SealedMetadata): void {
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
  throw file.damageFault(`${where} do not fit their checksum, so that other programs may misread it`);
}

/** Reads every block and its texts. The reader checks their checksums. */
function verifyBlocks(path: string, file: BakedFile): number {
  const source = openBakedFile(path);
  try {
    let rows = 0;
    for (const block of source.readBlocks()) {
      rows += block.count;
      block.text(0);
    }
    if (rows !== source.facts.rows) throw file.damageFault(`expected ${source.facts.rows} rows, found ${rows}`);
    return rows;
  } finally {
    source.close();
  }
}
