// What stands right before the footer of a baked file, where no Arrow reader looks: checksums of the footer, and of all
// that surrounds the blocks. With those of the blocks themselves, no byte of the file may change unseen.
// Must be looked at before the footer is taken apart: a damaged one may say that it has a billion members.
import { crc32 } from 'node:zlib';

const MARK = Buffer.from('presage\n');
const SURROUNDINGS_AT = MARK.length;
const FOOTER_AT = SURROUNDINGS_AT + 4;
export const SEAL_BYTES = FOOTER_AT + 4;

/** The seal of a file. Sums are CRC-32. */
export function sealOf(surroundingsSum: number, footer: Buffer): Buffer {
  const seal = Buffer.alloc(SEAL_BYTES);
  MARK.copy(seal);
  seal.writeUInt32LE(surroundingsSum, SURROUNDINGS_AT);
  seal.writeUInt32LE(crc32(footer), FOOTER_AT);
  return seal;
}

/** What the seal before a footer says of the footer and of the rest; `null` where there is none. */
export function readSeal(
  seal: Buffer,
  footer: Buffer,
): { readonly isFit: boolean; readonly surroundingsSum: number } | null {
  if (!seal.subarray(0, SURROUNDINGS_AT).equals(MARK)) return null;
  return {
    isFit: seal.readUInt32LE(FOOTER_AT) === crc32(footer),
    surroundingsSum: seal.readUInt32LE(SURROUNDINGS_AT),
  };
}
