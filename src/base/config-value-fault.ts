// A value of a config that fits the schema and yet cannot be used, such as the name of no profile. The one who read the
// config adds file and line.

/** A member of a config, and its value. */
interface ConfigValue {
  /** The member's path, such as `simulation.latency.order.folder`. */
  readonly place: string;
  readonly value: unknown;
}

/** Thrown for such a value. */
export class ConfigValueFault extends Error {
  override readonly name = 'ConfigValueFault';
  readonly place: string;
  readonly expected: string;
  readonly value: unknown;

  constructor({ place, value }: ConfigValue, expected: string) {
    super(`${place}: expected ${expected}, found ${JSON.stringify(value) ?? 'nothing'}`);
    this.place = place;
    this.expected = expected;
    this.value = value;
  }
}
