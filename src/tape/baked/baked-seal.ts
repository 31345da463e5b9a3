// The seal of a baked file: checksums of the footer and of everything outside the blocks. It is before the footer,
// where no Arrow reader looks. Must be checked before the footer is decoded: a damaged footer may claim a billion
// members.
import { crc32 } from 'node:zlib';

const MARK = Buffer.from('presage\n');
const SURROUNDINGS_AT = MARK.length;
const FOOTER_AT = SURROUNDINGS_AT + 4;
export const SEAL_BYTES = FOOTER_AT + 4;

/** Makes the seal of a file. `surroundingsSum` is a CRC-32. */
export function makeSeal(surroundingsSum: number, footer: Buffer): Buffer {
  const seal = Buffer.alloc(SEAL_BYTES);
  MARK.copy(seal);
  seal.writeUInt32LE(surroundingsSum, SURROUNDINGS_AT);
  seal.writeUInt32LE(crc32(footer), FOOTER_AT);
  return seal;
}

/** Decodes a seal and checks the footer after it. Returns `null` when there is no seal. */
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
