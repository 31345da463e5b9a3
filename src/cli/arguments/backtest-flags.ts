// Options of `presage backtest`, as parsed.
import type { BacktestOverrides } from '../../app/backtest/backtest-overrides.ts';
import type { Micros, Money } from '../../domain/units.ts';
import { OptionFault } from '../../app/usage-error.ts';
import { paramArguments } from './argument-parsers.ts';

/** Options of the command line. */
export interface BacktestFlags {
  readonly config: string;
  readonly tape?: string;
  readonly from?: Micros;
  readonly to?: Micros;
  readonly seed?: number;
  readonly cash?: Money;
  readonly markets?: readonly string[];
  readonly strategy?: string;
  readonly param?: readonly string[];
  readonly html?: string;
  readonly export?: string;
  readonly json?: true;
  readonly explain?: string;
  readonly check?: 'outcome-flip';
}

/**
 * Returns the options that replace values of the config.
 * @throws {UsageError} when a parameter has no name, or is there twice.
 */
export function overridesOf({ param = [], ...flags }: BacktestFlags): BacktestOverrides {
  return { ...flags, params: paramArguments(param) };
}

/**
 * Does work with the options of the command line.
 * @throws {UsageError} with the flag of a wrong option, in place of the option's name in a program.
 */
export function namingFlags<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (fault) {
    throw fault instanceof OptionFault ? fault.renamed(flagOf) : fault;
  }
}

const flagOf = (option: string): string => (option === 'params' ? '--param' : `--${option}`);
