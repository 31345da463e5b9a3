// The error of a baked file: its path and the problem.

/** A baked file cannot be written or read, or is damaged. Baking its source again replaces it. */
export class BakedFault extends Error {
  override readonly name = 'BakedFault';
  readonly file: string;
  /** The problem, without the file's path. */
  readonly problem: string;

  constructor(file: string, what: string, options?: ErrorOptions) {
    super(`${file}: ${what}`, options);
    this.file = file;
    this.problem = what;
  }
}
