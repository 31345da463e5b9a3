// What is wrong with a strategy's file or package, with the place it was asked for at.

/** A strategy file or package that cannot be used. */
export class StrategyFileError extends Error {
  override readonly name = 'StrategyFileError';
  readonly path: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
    this.path = path;
  }
}

/** There is no such file, or no such package. */
export class NoStrategyError extends StrategyFileError {
  /** What is not there, without the path. */
  readonly problem: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(path, problem, options);
    this.problem = problem;
  }
}
