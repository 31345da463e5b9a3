// Reads members of JSON from a server, and checks their types. Must never hide that a member is missing.

/** A value of a JSON answer. */
export class JsonAnswer {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  /** The value at a dotted path; `undefined` when there is none. */
  at(path: string): unknown {
    let value: unknown = this.value;
    for (const member of path.split('.')) {
      if (typeof value !== 'object' || value === null) return undefined;
      value = (value as Readonly<Record<string, unknown>>)[member];
    }
    return value;
  }

  text(path: string): string {
    const found = this.at(path);
    if (typeof found !== 'string') throw new Error(`${path}: expected a text in ${JSON.stringify(this.value)}`);
    return found;
  }

  number(path: string): number {
    const found = this.at(path);
    if (typeof found !== 'number') throw new Error(`${path}: expected a number in ${JSON.stringify(this.value)}`);
    return found;
  }

  rows(path: string): JsonAnswer[] {
    const found = this.at(path);
    if (!Array.isArray(found)) throw new Error(`${path}: expected a list in ${JSON.stringify(this.value)}`);
    return found.map((row) => new JsonAnswer(row));
  }
}
