// What is wrong with a baked file: which one, and what was expected and found there.

/** A baked file that cannot be written, read, or believed. Baking its source again makes it anew. */
export class BakedFault extends Error {
  override readonly name = 'BakedFault';
  readonly file: string;
  /** What is wrong, without the place. */
  readonly what: string;

  constructor(file: string, what: string, options?: ErrorOptions) {
    super(`${file}: ${what}`, options);
    this.file = file;
    this.what = what;
  }
}
