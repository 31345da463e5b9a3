// Errors of a strategy's file or package, with the location that was requested.

/** Thrown for a strategy file or package that cannot be used. */
export class StrategyFileError extends Error {
  override readonly name = 'StrategyFileError';
  readonly path: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
    this.path = path;
  }
}

/** Thrown when the place holds no strategy: nothing is there, or something else. */
export class NoStrategyError extends StrategyFileError {
  /** Describes the place, without the path. */
  readonly problem: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(path, problem, options);
    this.problem = problem;
  }
}
