// Plants a fault against every rule in a small clean tree and expects it to be found, with its place and remedy. Also
// expects the clean tree to pass, and code that only looks like a fault.
import { describe, expect, it } from 'vitest';
import { checkTree } from '../support/tidy/check-tree.ts';
import { RULES, type Rule, formatFault } from '../support/tidy/fault.ts';
import { HEADER, PLANTED_FAULTS, lines } from './planted-faults.ts';

const CLEAN: Readonly<Record<string, string>> = {
  'src/domain/units.ts': `${HEADER}declare const unit: unique symbol;
export type Price = number & { readonly [unit]: 'price' };
export const price = (value: number): Price => value as Price;
`,
  'src/state/book.ts': `${HEADER}import { type Price, price } from '../domain/units.ts';
export const best = (a: Price, b: Price): Price => price(Math.max(a, b));
`,
  'src/index.ts': `${HEADER}export { z } from 'zod';\nexport { price } from './domain/units.ts';\n`,
  'src/engine.ts': `${HEADER}export { best } from './state/book.ts';\n`,
  'src/transport/socket.ts': `${HEADER}import { WebSocket } from 'ws';
export const open = async (url: string) => new WebSocket(url + Date.now());
`,
  'src/venues/trade-api/feed.ts': `${HEADER}export { open } from '../../transport/socket.ts';\n`,
  'src/venues/simulated/queue.ts': `${HEADER}export const ahead = 1;\n`,
  'src/cli/main.ts': `${HEADER}import { sweep } from '../../backtest/sweep.ts';\nexport const main = (): number => sweep;\n`,
  'strategies/quoter.ts': `${HEADER}import { price } from 'presage-trading';\nexport default price(1);\n`,
  'backtest/sweep.ts': `${HEADER}import { ahead } from '../src/venues/simulated/queue.ts';\nexport const sweep = ahead;\n`,
  'test/state/book.test.ts': `${HEADER}import { it } from 'vitest';
import { best } from '../../src/state/book.ts';
it('takes the higher of two prices', () => void best);
`,
};

/** The clean tree with some files added or replaced. */
const treeWith = (changes: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(Object.entries({ ...CLEAN, ...changes }));

describe('a planted fault', () => {
  it.each(PLANTED_FAULTS)(
    'is found with its place and remedy: $name',
    ({ rule, file, code, line = 2, says, others = {} }) => {
      const header = rule === 'header' ? '// -----\n' : HEADER;
      const found = checkTree(treeWith({ [file]: `${header}${code}\n`, ...others })).filter(
        (each) => each.rule === rule,
      );
      const atFile = found.find((each) => each.file === file || rule === 'cycle');
      expect(atFile).toBeDefined();
      expect(atFile?.what).toContain(says);
      if (rule !== 'cycle') expect(atFile?.line).toBe(line);
      expect(atFile?.remedy.length).toBeGreaterThan(10);
    },
  );

  it('is planted for every rule there is', () => {
    const planted = new Set<Rule>([...PLANTED_FAULTS.map((plant) => plant.rule), 'empty']);
    expect(RULES.filter((rule) => !planted.has(rule))).toEqual([]);
  });

  it('is printed in one line with its place and remedy', () => {
    const [found] = checkTree(treeWith({ 'src/risk/age.ts': `${HEADER}export const now = Date;\n` }));
    expect(formatFault(found!)).toBe(
      'src/risk/age.ts:2 a pure file uses Date (pure-global). Remedy: take the value from the event (`at`), ' +
        'the config or an injected function; pure code depends on its arguments alone',
    );
  });

  it('is reported together with all others, by file and line', () => {
    const found = checkTree(
      treeWith({
        'src/risk/b.ts': `${HEADER}export const now = Date;\nexport const later = setTimeout;\n`,
        'src/risk/a.ts': 'export default 1;\n',
      }),
    );
    expect(found.map(({ file, line, rule }) => [file, line, rule])).toEqual([
      ['src/risk/a.ts', 1, 'header'],
      ['src/risk/a.ts', 1, 'default-export'],
      ['src/risk/b.ts', 2, 'pure-global'],
      ['src/risk/b.ts', 3, 'pure-global'],
    ]);
  });

  it('is reported for an empty tree', () => {
    expect(checkTree(new Map()).map((each) => each.rule)).toEqual(['empty']);
  });
});

/** Code that a checker which only searches text would report as a fault. */
const INNOCENT: readonly { readonly name: string; readonly file: string; readonly code: string }[] = [
  {
    name: 'members, keys, types and locals that share a name with the world',
    file: 'src/state/names.ts',
    code: `interface Clock { readonly Date: number; performance(): void }
export const read = (clock: Clock, process: { env: number }): number => clock.Date + process.env;
export function format(fetch: number): { console: number } {
  const Date = fetch;
  for (const crypto of [Date]) void crypto;
  return { console: Date };
}
export type When = Date;
export const text = 'Date.now() await setTimeout';`,
  },
  {
    name: 'a type that comes from a package into a pure layer',
    file: 'src/strategy/params.ts',
    code: "import type { ZodType } from 'zod';\nexport type Params = ZodType;",
  },
  {
    name: 'a pure file at the edge that borrows a type from one that is not pure',
    file: 'src/venues/trade-api/normalize/frames.ts',
    code: "import type { open } from '../feed.ts';\nexport type Open = typeof open;",
  },
  {
    name: 'assertions that mint, widen or follow a schema',
    file: 'src/state/mint.ts',
    code: `import type { Price } from '../domain/units.ts';
export const none = (a: number): Price | null => (a < 0 ? null : (a as Price | null));
export const kinds = ['a', 'b'] as const;
export const parsed = JSON.parse('1') as unknown;
// tidy: as the schema of the caller has spoken
export const spoken = parsed as string;`,
  },
  {
    name: 'a long table that says so',
    file: 'src/domain/table.ts',
    code: `// tidy: table\n${lines(420, 'void 0;')}`,
  },
  {
    name: 'a chain of else-ifs, three parameters, blocks three deep, a function inside that counts its own depth',
    file: 'src/state/shape.ts',
    code: `export function shape(this: unknown, a: number, b: number, c: number): void {
  if (a) void 0; else if (b) void 0; else if (c) void 0; else if (a + b) { for (;;) { while (a) void 0; } }
  if (a) for (;;) while (b) [1].map((d) => { if (d) return 1; return 2; });
}`,
  },
  {
    name: 'a suite longer than a function may be',
    file: 'test/suite.test.ts',
    code: `import { describe, it } from 'vitest';
describe('a suite', () => {
${lines(30, "  it('holds what it says', () => {\n    void 0;\n  });")}});
const suite = (): void => {
${lines(80, "  it.each([1])('holds for %i too', () => {});")}};
suite();`,
  },
  {
    name: 'a test of a property over four things',
    file: 'test/four.property.test.ts',
    code: "import { it } from 'vitest';\nit.each([[1, 2, 3, 4]])('adds %i', (a, b, c, d) => void (a + b + c + d));",
  },
  { name: 'a strategy named by default', file: 'strategies/other.ts', code: 'export default 1;' },
  { name: 'a config that reads files', file: 'src/config/read.ts', code: "export { readFileSync } from 'node:fs';" },
];

describe('a clean tree', () => {
  it('has no fault', () => {
    expect(checkTree(treeWith({})).map(formatFault)).toEqual([]);
  });

  it.each(INNOCENT)('stays clean with $name', ({ file, code }) => {
    expect(checkTree(treeWith({ [file]: `${HEADER}${code}\n` })).map(formatFault)).toEqual([]);
  });
});
