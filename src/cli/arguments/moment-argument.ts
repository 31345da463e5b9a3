// The parser of moments. Must load no config: commands that only read a journal parse moments, too.
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { MOMENT_EXPECTED, exactMoment } from '../../domain/parsed-time.ts';
import type { Micros } from '../../domain/units.ts';

/**
 * Parses a moment, to the microsecond, as `presage tape info` prints it.
 * @throws {InvalidArgumentError} for any other text.
 */
export function momentArgument(text: string): Micros {
  const at = exactMoment(text);
  if (at !== null) return at;
  throw new InvalidArgumentError(`Expected ${MOMENT_EXPECTED}.`);
}
