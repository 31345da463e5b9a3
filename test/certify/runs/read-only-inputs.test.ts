// Wrappers of what a strategy is given: they read as the objects do, and find every write, however deep.
import { describe, expect, it } from 'vitest';
import { InputWrite, ReadOnlyInputs } from '../../../src/certify/runs/read-only-inputs.ts';

class Ledger {
  readonly #entries = new Map([['a', { amount: 1 }]]);
  readonly table = new Map([['b', { amount: 2 }]]);
  readonly figures = new Float64Array([1, 2]);
  get total(): number {
    return this.#entries.size;
  }
  entries(): { amount: number }[] {
    return [...this.#entries.values()];
  }
  entry(name: string): { amount: number } | undefined {
    return this.#entries.get(name);
  }
  amountOf(entry: { amount: number }): number {
    return [...this.#entries.values()].includes(entry) ? entry.amount : Number.NaN;
  }
  forEach(call: (entry: { amount: number }) => unknown): void {
    for (const entry of this.#entries.values()) call(entry);
  }
}

function setUp() {
  const writes: string[] = [];
  const inputs = new ReadOnlyInputs(({ message }) => void writes.push(message));
  const ledger = new Ledger();
  return { writes, ledger, given: inputs.wrap(ledger, 'view'), inputs };
}

describe('a wrapper', () => {
  it('reads as its object does', () => {
    const { given, writes, inputs } = setUp();
    expect([given.total, given.entries(), given.table.get('b'), given.figures[1]]).toEqual([
      1,
      [{ amount: 1 }],
      { amount: 2 },
      2,
    ]);
    expect([...given.table.values()].map(({ amount }) => amount)).toEqual([2]);
    expect(given.entries().map((entry) => given.amountOf(entry))).toEqual([1]);
    expect(given.entry('a')).toBe(given.entries()[0]);
    expect(JSON.stringify({ ...given.entry('a') })).toBe('{"amount":1}');
    const frozen = inputs.wrap(Object.freeze({ inner: Object.freeze({ amount: 3 }) }), 'event');
    expect(frozen.inner.amount).toBe(3);
    expect(writes).toEqual([]);
  });

  it.each<[string, (given: Ledger) => unknown]>([
    ['view.entry().amount', (given) => (given.entry('a')!.amount = 9)],
    ['view.forEach().amount', (given) => given.forEach((entry) => (entry.amount = 9))],
    ['view.entries().0.amount', (given) => given.entries().forEach((entry) => (entry.amount = 9))],
    ['view.entries().1', (given) => given.entries().push({ amount: 9 })],
    ['view.table', (given) => given.table.clear()],
    ['view.figures', (given) => given.figures.fill(9)],
    ['view.figures.0', (given) => (given.figures[0] = 9)],
    ['view.table.get().amount', (given) => (given.table.get('b')!.amount = 9)],
    ['view.entry().amount', (given) => delete (given.entry('a') as { amount?: number }).amount],
    ['view.other', (given) => Object.assign(given, { other: 9 })],
  ])('finds a write to %s', (path, write) => {
    const { given, ledger, writes } = setUp();
    expect(() => write(given)).toThrow(InputWrite);
    expect(writes).toEqual([`${path} is written to`]);
    expect(ledger).toEqual(new Ledger());
  });
});
