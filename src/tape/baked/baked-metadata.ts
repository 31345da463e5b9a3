// Reads the metadata of a baked file from its footer. Must never decode a footer that does not fit its checksum.
import { Footer } from 'apache-arrow/ipc/metadata/file';
import {
  BAKER_VERSION,
  type BakedMetadata,
  MAGIC,
  METADATA_KEY,
  TAIL_BYTES,
  metadataSchema,
  versionSchema,
} from './baked-format.ts';
import type { BakedFile } from './baked-file.ts';
import { SEAL_BYTES, readSeal } from './baked-seal.ts';

/** Length of the file's beginning: the magic word, padded. */
const HEAD_BYTES = 8;

/** Metadata, with the values of the seal: the checksums before the footer. */
export interface SealedMetadata extends BakedMetadata {
  /** Offset of the seal, which follows the blocks. */
  readonly sealAt: number;
  /** CRC-32 of everything before the seal, except the bodies of the blocks. */
  readonly surroundingsSum: number;
}

/**
 * Reads the metadata.
 * @throws {BakedFault} when the file is damaged, or was not baked by this version.
 */
export function readMetadata(file: BakedFile): SealedMetadata {
  if (file.bytes < HEAD_BYTES + SEAL_BYTES + TAIL_BYTES)
    throw file.faultOf('is cut short: it has no room for a footer');
  const head = Buffer.alloc(MAGIC.length);
  file.readInto(head, 0);
  if (head.toString('latin1') !== MAGIC) throw file.faultOf(`is no Arrow file: expected ${MAGIC} at its beginning`);
  const tail = Buffer.alloc(TAIL_BYTES);
  file.readInto(tail, file.bytes - TAIL_BYTES);
  if (tail.toString('latin1', 4) !== MAGIC) throw file.faultOf(`is cut short: expected ${MAGIC} at its end`);
  const length = tail.readInt32LE(0);
  const sealAt = file.bytes - TAIL_BYTES - length - SEAL_BYTES;
  if (length <= 0 || sealAt < HEAD_BYTES) throw file.damageFault('its footer has an impossible length');
  const sealed = Buffer.alloc(file.bytes - sealAt);
  file.readInto(sealed, sealAt);
  const footer = sealed.subarray(SEAL_BYTES);
  const seal = readSeal(sealed.subarray(0, SEAL_BYTES), footer);
  if (seal === null)
    throw file.faultOf(`was not baked by this version of this program: its seal is missing at byte ${sealAt}`);
  if (!seal.isFit) throw file.damageFault(`its footer at byte ${sealAt + SEAL_BYTES} does not fit its checksum`);
  return { ...notesOf(file, footer), sealAt, surroundingsSum: seal.surroundingsSum };
}

function notesOf(file: BakedFile, footer: Buffer): BakedMetadata {
  const text = Footer.decode(footer).schema.metadata.get(METADATA_KEY);
  const found: unknown = JSON.parse(text ?? 'null');
  refuseLaterVersion(file, found);
  const notes = metadataSchema.safeParse(found);
  if (notes.success) return notes.data;
  const [issue] = notes.error.issues;
  throw file.faultOf(`has notes of another form: ${issue?.path.join('.')} ${issue?.message}`);
}

/** The rows of a later version may mean something else, even where their form is the same. */
function refuseLaterVersion(file: BakedFile, found: unknown): void {
  const version = versionSchema.safeParse(found).data?.facts.bakerVersion ?? 0;
  if (version <= BAKER_VERSION) return;
  throw file.faultOf(
    `was made by a later version of this program: expected rows of version ${BAKER_VERSION} or earlier, found ${version}; ` +
      'use that program, or make the file again',
  );
}
