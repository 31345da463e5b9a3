// The faults that the tests of the checker plant: each names the rule it breaks and where the checker must find it.
// tidy: table
import type { Rule } from '../support/tidy/fault.ts';

export const HEADER = '// A file of a small tree, for tests of the checker.\n';

/** Returns a text of `count` equal lines. */
export const lines = (count: number, line: string): string => `${line}\n`.repeat(count);
const nested = (blocks: number, inside: string): string => 'if (a) {'.repeat(blocks) + inside + '}'.repeat(blocks);

/** One fault to plant. */
export interface PlantedFault {
  readonly name: string;
  readonly rule: Rule;
  readonly file: string;
  readonly code: string;
  /** Line at which the fault must be found. Default 2, the line after the header. */
  readonly line?: number;
  readonly says: string;
  /** Other files that the fault needs. */
  readonly others?: Readonly<Record<string, string>>;
}

const IMPORTS: readonly PlantedFault[] = [
  {
    name: 'an import of the page from the server',
    rule: 'layer-import',
    file: 'src/console/page/view.tsx',
    code: "import type { Server } from '../server.ts';\nexport type S = Server;",
    says: 'the page imports src/console/server.ts, which is not for a browser',
  },
  {
    name: 'an import of the server from the page',
    rule: 'layer-import',
    file: 'src/console/server.ts',
    code: "export { Row } from './page/row.tsx';",
    says: 'imports src/console/page/row.tsx, which needs a browser',
  },
  {
    name: 'a schema that the page loads',
    rule: 'page-value',
    file: 'src/console/page/view.tsx',
    code: "export { botRow } from '../api/schemas.ts';",
    says: 'the page loads ../api/schemas.ts',
  },
  {
    name: 'markup as text in the page',
    rule: 'markup',
    file: 'src/console/page/view.tsx',
    code: 'export const Title = (text: string) => <h1 dangerouslySetInnerHTML={{ __html: text }} />;',
    says: 'uses dangerouslySetInnerHTML',
  },
  {
    name: 'markup that is assigned in the page',
    rule: 'markup',
    file: 'src/console/page/view.tsx',
    code: "export const show = (box: Element, text: string) => (box['innerHTML'] = text);",
    says: 'uses innerHTML',
  },
  {
    name: 'a style as text in the page',
    rule: 'markup',
    file: 'src/console/page/view.tsx',
    code: 'export const Line = () => <p style="color:red">text</p>;',
    says: 'has a style as text',
  },
  {
    name: 'an import from a layer to the right',
    rule: 'layer-import',
    file: 'src/domain/order.ts',
    code: "export { best } from '../state/book.ts';",
    says: 'domain imports src/state/book.ts',
  },
  {
    name: 'a type import from a layer to the right',
    rule: 'layer-import',
    file: 'src/domain/order.ts',
    code: "import type { best } from '../state/book.ts';\nexport type B = typeof best;",
    says: 'domain imports src/state/book.ts',
  },
  {
    name: 'an import type expression from a layer to the right',
    rule: 'layer-import',
    file: 'src/domain/order.ts',
    code: "export type B = typeof import('../state/book.ts');",
    says: 'domain imports src/state/book.ts',
  },
  {
    name: 'a dynamic import from a layer to the right',
    rule: 'layer-import',
    file: 'src/transport/lazy.ts',
    code: "export const lazy = (): Promise<unknown> => import('../cli/main.ts');",
    says: 'transport imports src/cli/main.ts',
  },
  {
    name: 'an import from a neighbor in the same group of layers',
    rule: 'layer-import',
    file: 'src/tape/read.ts',
    code: "export { open } from '../transport/socket.ts';",
    says: 'transport is not to its left',
  },
  {
    name: 'a layer that imports a strategy',
    rule: 'layer-import',
    file: 'src/runtime/loop.ts',
    code: "export { default as quoter } from '../../strategies/quoter.ts';",
    says: 'the strategy strategies/quoter.ts',
  },
  {
    name: 'a layer other than cli that imports backtest',
    rule: 'layer-import',
    file: 'src/runtime/loop.ts',
    code: "export { sweep } from '../../backtest/sweep.ts';",
    says: 'runtime imports backtest/sweep.ts',
  },
  {
    name: 'a backtest that imports cli',
    rule: 'layer-import',
    file: 'backtest/run.ts',
    code: "export { main } from '../src/cli/main.ts';",
    says: 'backtest imports src/cli/main.ts',
  },
  {
    name: 'a layer that imports a test',
    rule: 'layer-import',
    file: 'src/engine.ts',
    code: "export * from '../test/state/book.test.ts';",
    says: "which is a test's",
  },
  {
    name: 'a layer that loads another when it needs it',
    rule: 'lazy',
    file: 'src/engine.ts',
    code: "export const late = () => import('./risk/check.ts');",
    says: 'loads ./risk/check.ts when it needs it',
  },
  {
    name: 'a layer that imports the public surface by its name',
    rule: 'layer-import',
    file: 'src/risk/check.ts',
    code: "import type { z } from 'presage-trading';\nexport type Z = z;",
    says: 'its own public surface',
  },
  {
    name: 'a strategy that reaches past the surface',
    rule: 'surface',
    file: 'strategies/sly.ts',
    code: "export { best } from '../src/state/book.ts';",
    says: 'a strategy imports ../src/state/book.ts',
  },
  {
    name: 'a strategy that imports a package',
    rule: 'surface',
    file: 'strategies/sly.ts',
    code: "import type { ZodType } from 'zod';\nexport type Z = ZodType;",
    says: 'a strategy imports zod',
  },
  {
    name: 'a venue that imports another venue',
    rule: 'siblings',
    file: 'src/venues/simulated/queue.ts',
    code: "import type { open } from '../trade-api/feed.ts';\nexport type Open = typeof open;",
    says: 'of the venue trade-api',
  },
  {
    name: 'a circle of imports',
    rule: 'cycle',
    file: 'src/domain/a.ts',
    code: "export type { B } from './b.ts';\nexport interface A {}",
    says: 'src/domain/a.ts → src/domain/b.ts → src/domain/a.ts',
    line: 2,
    others: { 'src/domain/b.ts': `${HEADER}import type { A } from './a.ts';\nexport type B = A;\n` },
  },
  {
    name: 'an import without its ending',
    rule: 'extension',
    file: 'src/cli/other.ts',
    code: "export { main } from './main';",
    says: 'imports ./main',
  },
  {
    name: 'an import of a path computed at run time',
    rule: 'computed',
    file: 'src/cli/other.ts',
    code: 'export const load = (path: string): Promise<unknown> => import(path);',
    says: 'computed at run time',
  },
  {
    name: 'a file in a layer the house does not have',
    rule: 'layer',
    file: 'src/attic/box.ts',
    code: 'export const box = 1;',
    line: 1,
    says: 'no layer named attic',
  },
];

const PURITY: readonly PlantedFault[] = [
  {
    name: 'a package loaded by a pure layer',
    rule: 'pure-package',
    file: 'src/state/view.ts',
    code: "export { z } from 'zod';",
    says: 'loads zod',
  },
  {
    name: 'a node module loaded by a pure layer',
    rule: 'pure-package',
    file: 'src/engine.ts',
    code: "export { EventEmitter } from 'node:events';",
    says: 'loads node:events',
  },
  {
    name: 'an import of types only that still loads its package',
    rule: 'pure-package',
    file: 'src/strategy/strategy.ts',
    code: "import { type ZodType } from 'zod';\nexport type Z = ZodType;",
    says: 'loads zod',
  },
  {
    name: 'a pure file at the edge that loads one that is not pure',
    rule: 'pure-import',
    file: 'src/venues/trade-api/normalize/frames.ts',
    code: "export { open } from '../feed.ts';",
    says: 'loads src/venues/trade-api/feed.ts',
  },
  {
    name: 'a clock read in a pure layer',
    rule: 'pure-global',
    file: 'src/risk/age.ts',
    code: 'export const age = (at: number): number => Date.now() - at;',
    says: 'uses Date',
  },
  {
    name: 'a clock read in a strategy',
    rule: 'pure-global',
    file: 'strategies/sly.ts',
    code: 'export default new Date();',
    says: 'uses Date',
  },
  {
    name: 'a random number in a pure layer',
    rule: 'pure-global',
    file: 'src/execution/jitter.ts',
    code: 'export const jitter = (): number => Math.random();',
    says: 'uses Math.random',
  },
  {
    name: 'a random number taken out of Math by name',
    rule: 'pure-global',
    file: 'src/execution/jitter.ts',
    code: "const { random } = Math;\nexport const jitter = (): number => random() + Math['random']();",
    says: 'uses Math.random',
  },
  {
    name: 'a timer in a pure layer',
    rule: 'pure-global',
    file: 'src/state/late.ts',
    code: 'export const later = (act: () => void): unknown => setTimeout(act, 1);',
    says: 'uses setTimeout',
  },
  {
    name: 'a comparison by the language of the machine in a pure layer',
    rule: 'pure-global',
    file: 'src/state/sorted.ts',
    code: 'export const byName = (a: string, b: string): number => a.localeCompare(b);',
    says: 'uses localeCompare',
  },
  {
    name: 'a member of the environment spread into a pure layer',
    rule: 'pure-global',
    file: 'src/state/late.ts',
    code: 'export const all = { ...globalThis };',
    says: 'uses globalThis',
  },
  {
    name: 'an async function in a pure layer',
    rule: 'pure-await',
    file: 'src/state/late.ts',
    code: 'export async function late(): Promise<void> {}',
    says: 'an async function',
  },
  {
    name: 'an await in a pure layer',
    rule: 'pure-await',
    file: 'src/state/late.ts',
    code: 'export const late: unknown = await 1;',
    says: 'an await',
  },
  {
    name: 'an async generator in a pure layer',
    rule: 'pure-await',
    file: 'src/engine.ts',
    code: 'export async function* steps(): AsyncGenerator<number> {\n  yield 1;\n}',
    says: 'an async generator',
  },
];

const SIZES: readonly PlantedFault[] = [
  {
    name: 'a function of 71 lines',
    rule: 'function-length',
    file: 'src/cli/long.ts',
    code: `export function long(): void {\n${lines(69, '  void 0;')}}`,
    says: 'a function of 71 lines',
  },
  {
    name: 'a file of 401 lines',
    rule: 'file-length',
    file: 'src/cli/long.ts',
    code: lines(400, 'void 0;').trimEnd(),
    line: 401,
    says: '401 lines',
  },
  {
    name: 'a function of four parameters',
    rule: 'parameters',
    file: 'src/cli/wide.ts',
    code: 'export const wide = (a: number, b: number, c: number, d = 1): number => a + b + c + d;',
    says: '4 parameters',
  },
  {
    name: 'a method of an interface with four parameters',
    rule: 'parameters',
    file: 'src/domain/port.ts',
    code: 'export interface Port {\n  take(a: 1, b: 2, c: 3, d: 4): void;\n}',
    line: 3,
    says: '4 parameters',
  },
  {
    name: 'blocks nested four deep',
    rule: 'nesting',
    file: 'src/cli/deep.ts',
    code: `export function deep(a: boolean): void {\n  ${nested(3, 'for (const b of []) void b;')}\n}`,
    line: 3,
    says: 'nested 4 deep',
  },
];

const TYPES: readonly PlantedFault[] = [
  {
    name: 'an any',
    rule: 'any',
    file: 'src/cli/loose.ts',
    code: 'export const loose = (a: any): unknown => a;',
    says: 'any',
  },
  {
    name: 'an any in a test',
    rule: 'any',
    file: 'test/loose.test.ts',
    code: 'export const loose: any[] = [];',
    says: 'any',
  },
  {
    name: 'a non-null claim outside tests',
    rule: 'non-null',
    file: 'src/cli/loose.ts',
    code: 'export const first = (a: number[]): number => a[0]!;',
    says: 'something is there',
  },
  {
    name: 'a claim that a member is assigned',
    rule: 'non-null',
    file: 'src/cli/loose.ts',
    code: 'export class Loose {\n  text!: string;\n}',
    line: 3,
    says: 'something is there',
  },
  {
    name: 'an assertion that mints no brand',
    rule: 'as',
    file: 'src/cli/loose.ts',
    code: 'export const claimed = (a: unknown): string => a as string;',
    says: 'asserts the type string',
  },
  {
    name: 'a brand minted out of anything by way of unknown',
    rule: 'as',
    file: 'src/state/mint.ts',
    code: "import type { Price } from '../domain/units.ts';\nexport const claimed = (a: string): Price => a as unknown as Price;",
    line: 3,
    says: 'asserts the type Price',
  },
];

const CONVENTIONS: readonly PlantedFault[] = [
  {
    name: 'a header that says nothing',
    rule: 'header',
    file: 'src/cli/mute.ts',
    code: '',
    line: 1,
    says: 'says nothing',
  },
  {
    name: 'a name that is not kebab-case',
    rule: 'name',
    file: 'src/cli/camelCase.ts',
    code: 'export const a = 1;',
    line: 1,
    says: 'camelCase.ts',
  },
  {
    name: 'a layer that is called by a vague name',
    rule: 'vague-name',
    file: 'src/cli/utils/text.ts',
    code: 'export const a = 1;',
    line: 1,
    says: 'the name utils',
  },
  {
    name: 'a file that is called by a vague name',
    rule: 'vague-name',
    file: 'src/cli/order-helpers.ts',
    code: 'export const a = 1;',
    line: 1,
    says: 'the name order-helpers',
  },
  {
    name: 'a promise to do it later',
    rule: 'marker',
    file: 'src/cli/later.ts',
    code: 'export const a = 1; // TODO: more',
    says: 'a TODO',
  },
  {
    name: 'a silenced checker',
    rule: 'suppression',
    file: 'src/cli/hush.ts',
    code: '// @ts-expect-error: it is fine\nexport const a: string = 1;',
    says: '@ts-expect-error',
  },
  {
    name: 'a default export outside strategies',
    rule: 'default-export',
    file: 'src/cli/unnamed.ts',
    code: 'export default 1;',
    says: 'exports a default',
  },
  {
    name: 'a reader of files outside the list',
    rule: 'reader',
    file: 'src/transport/spy.ts',
    code: "export { readFileSync } from 'node:fs';",
    says: 'imports node:fs',
  },
  {
    name: 'a reader of the environment outside the list',
    rule: 'reader',
    file: 'src/runtime/spy.ts',
    code: "export const home = process.env['HOME'];",
    says: 'reads the environment',
  },
  {
    name: 'a British name',
    rule: 'spelling',
    file: 'src/domain/color.ts',
    code: 'export const isCancelled = true;',
    says: 'isCancelled is spelled cancelled',
  },
  {
    name: 'a test named by a wish',
    rule: 'test-name',
    file: 'test/wish.test.ts',
    code: "import { it } from 'vitest';\nit('should work well', () => {});",
    line: 3,
    says: 'should work well',
  },
  {
    name: 'a test that leaves the others out',
    rule: 'only',
    file: 'test/wish.test.ts',
    code: "import { it } from 'vitest';\nit.only('works alone', () => {});",
    line: 3,
    says: 'leaves every other test out',
  },
  {
    name: 'a file that cannot be parsed',
    rule: 'syntax',
    file: 'src/cli/broken.ts',
    code: 'export const = 1;',
    line: 1,
    says: '',
  },
];

const STRUCTURE: readonly PlantedFault[] = [
  {
    name: 'two files of one name',
    rule: 'file-twin',
    file: 'src/venues/simulated/socket.ts',
    code: 'export const a = 1;',
    line: 1,
    says: 'src/transport/socket.ts',
  },
  {
    name: 'two classes of one name',
    rule: 'class-twin',
    file: 'src/tape/writer.ts',
    code: 'export class Writer {}',
    says: 'src/exchange/log-writer.ts',
    others: { 'src/exchange/log-writer.ts': `${HEADER}export class Writer {}\n` },
  },
  {
    name: 'a method name on eleven classes',
    rule: 'common-method',
    file: 'src/tape/parts.ts',
    code: Array.from(
      { length: 11 },
      (_, i) => `export class Part${i} {\n  take(): void {}\n  close(): void {}\n}`,
    ).join('\n'),
    line: 42,
    says: 'defines take, as 10 other classes do',
  },
  {
    name: 'a folder of twenty-one files',
    rule: 'crowded-folder',
    file: 'src/tape/part-0.ts',
    code: 'export const a = 1;',
    line: 1,
    says: 'src/tape has 21 files',
    others: Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`src/tape/part-${i + 1}.ts`, `${HEADER}export const a = ${i};\n`]),
    ),
  },
];

const PROSE: readonly PlantedFault[] = [
  {
    name: 'a word that is not used, in a comment',
    rule: 'banned-word',
    file: 'src/cli/riddle.ts',
    code: '// The price is right.\n// Whoever asks is told.\nexport const a = 1;',
    line: 3,
    says: 'told',
  },
  {
    name: 'a word that is not used, in a message',
    rule: 'banned-word',
    file: 'src/cli/riddle.ts',
    code: "export const message = 'the order was withdrawn';",
    says: 'withdrawn',
  },
  {
    name: 'a word that is not used, in the title of a test',
    rule: 'banned-word',
    file: 'test/riddle.test.ts',
    code: "import { it } from 'vitest';\nit('keeps what it is told', () => {});",
    line: 3,
    says: 'told',
  },
];

/** Every planted fault. */
export const PLANTED_FAULTS: readonly PlantedFault[] = [
  ...IMPORTS,
  ...PURITY,
  ...SIZES,
  ...TYPES,
  ...CONVENTIONS,
  ...STRUCTURE,
  ...PROSE,
];
