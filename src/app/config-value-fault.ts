// A value of a config that fits the schema and yet cannot be used, such as the name of no profile. The one who read the
// config adds file and line.
import { configErrorOf } from '../config/yaml.ts';
import { UsageError } from './usage-error.ts';

/** A member of a config, and its value. */
interface ConfigValue {
  /** The member's path, such as `simulation.latency.order.folder`. */
  readonly place: string;
  readonly value: string;
}

/** Thrown for such a value. */
export class ConfigValueFault extends UsageError {
  readonly place: string;
  readonly expected: string;
  readonly value: string;

  constructor({ place, value }: ConfigValue, expected: string) {
    super(`${place}: expected ${expected}, found ${JSON.stringify(value)}`);
    this.place = place;
    this.expected = expected;
    this.value = value;
  }
}

/**
 * Does work with the values of a config.
 * @throws {ConfigError} with the line of a value that cannot be used.
 */
export async function withConfigLines<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (fault) {
    if (!(fault instanceof ConfigValueFault)) throw fault;
    const { place, expected: message, value: input } = fault;
    throw configErrorOf(file, [{ code: 'custom', path: place.split('.'), message, input }]);
  }
}
