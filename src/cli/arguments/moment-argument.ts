// The parser of moments. Must load no config: commands that only read a journal parse moments, too.
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { momentField } from '../../config/fields.ts';
import { type Micros, micros } from '../../domain/units.ts';

/**
 * Parses a moment, to the microsecond, as `presage tape info` prints it.
 * @throws {InvalidArgumentError} for any other text.
 */
export function momentArgument(text: string): Micros {
  const parsed = momentField.safeParse(text);
  // A Date holds milliseconds only, so the microseconds are added.
  const [, beyond = ''] = /\.\d{3}(\d{1,3})/.exec(text) ?? [];
  if (parsed.success) return micros(parsed.data + Number(beyond.padEnd(3, '0')));
  throw new InvalidArgumentError('Expected a moment such as 2026-11-21T07:45:00Z.');
}
