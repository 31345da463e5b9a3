// What is wrong with a key. Must never hold a byte of one.

/** A key cannot be used, or cannot be made. */
export class KeyFault extends Error {
  override readonly name = 'KeyFault';
  /** The file, or what else the key came from. */
  readonly source: string;

  constructor(source: string, problem: string) {
    super(`key ${source}: ${problem}`);
    this.source = source;
  }
}
