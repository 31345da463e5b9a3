// Unpacks the next block of a packed file on another thread, while the lines of the block before are read. Must never
// decide what a block holds: a reader that finds nothing here unpacks the block itself.
import { unpackBlockAside } from '../format/packed-block.ts';

/** The place of a block: its file, and its first byte there. */
export interface BlockPlace {
  readonly name: string;
  readonly at: number;
}

/** The block after the one being read. */
export class BlockAhead {
  #place: BlockPlace | null = null;
  #content: Buffer | string | null = null;
  #unpacking: Promise<void> = Promise.resolve();

  /** Begins to unpack a block, and forgets the one before. */
  begin(place: BlockPlace, block: Buffer): void {
    this.#place = place;
    this.#content = null;
    this.#unpacking = this.#unpack(place, block);
  }

  async #unpack(place: BlockPlace, block: Buffer): Promise<void> {
    const content = await unpackBlockAside(block);
    if (this.#place === place) this.#content = content;
  }

  /** Resolves once the block is unpacked. */
  ready(): Promise<void> {
    return this.#unpacking;
  }

  /** The content of a block, or a sentence about its damage; `null` when it was not unpacked here. */
  contentOf({ name, at }: BlockPlace): Buffer | string | null {
    return this.#place?.name === name && this.#place.at === at ? this.#content : null;
  }
}
