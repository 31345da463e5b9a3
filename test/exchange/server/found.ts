// Looks into JSON that a server sent: member by member, each of the type it should be.
// Must never hide that something is not there.

/** A value of a JSON answer. */
export class Found {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  /** What lies at a dotted path; `undefined` when nothing does. */
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

  rows(path: string): Found[] {
    const found = this.at(path);
    if (!Array.isArray(found)) throw new Error(`${path}: expected a list in ${JSON.stringify(this.value)}`);
    return found.map((row) => new Found(row));
  }
}
