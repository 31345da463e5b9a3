// `presage strategy`: its output for people and as JSON, and that its YAML fits a config.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { paramsText } from '../../src/cli/show/strategy-text.ts';
import { strategyCommand } from '../../src/cli/strategy-command.ts';
import { ideaOf } from '../../src/app/strategy/strategy-description.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-strategy-'));
const FULL = `// The idea: be full.
// And more of it.
//
// Loses never.
import { defineStrategy, fileText, z } from 'presage-trading';
class Listening {
  onBook() {}
  onFill() {}
}
export default defineStrategy({
  name: 'full',
  description: 'All of it.',
  params: z.strictObject({
    size: z.number().int().positive().default(5).describe('contracts'),
    mode: z.enum(['fast', 'off']).default('off'),
    share: z.number().gt(0).max(1).optional(),
    table: fileText().describe('the trusted prices'),
    events: z.array(z.string()).default(['A', 'B']),
  }),
  saved: z.strictObject({}),
  markets: ({ events }) => ({ events, where: () => true }),
  setup: () => Object.assign(new Listening(), { save: () => ({}), restore: () => undefined, onStop: () => undefined }),
});
`;
const PLAIN = `import { defineStrategy, z } from 'presage-trading';
export default defineStrategy({ name: 'plain', params: z.strictObject({}), setup: () => ({}) });
`;

beforeAll(() => {
  writeFileSync(join(folder, 'full.ts'), FULL);
  writeFileSync(join(folder, 'full.test.ts'), 'throw 1;');
  writeFileSync(join(folder, 'notes.md'), '');
  mkdirSync(join(folder, 'plain'));
  mkdirSync(join(folder, 'empty'));
  writeFileSync(join(folder, 'plain/strategy.ts'), PLAIN);
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

/** Runs the command; returns what it printed. */
async function told(...args: string[]): Promise<string> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    text += String(part);
    return true;
  });
  await strategyCommand().exitOverride().parseAsync(args, { from: 'user' });
  vi.restoreAllMocks();
  return text;
}

describe('presage strategy', () => {
  it('lists the strategies of a folder and of its subfolders', async () => {
    const lines = (await told('list', folder, '--json')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { name: 'full', description: 'All of it.', problem: null, file: join(folder, 'full.ts') },
      { name: 'plain', description: '', problem: null, file: join(folder, 'plain/strategy.ts') },
    ]);
    expect(process.exitCode ?? 0).toBe(0);
  });

  it('lists broken files too, and exits with 1', async () => {
    const broken = join(folder, 'broken.ts');
    writeFileSync(broken, 'export default 1;\n');
    const text = await told('list', folder);
    rmSync(broken);
    expect(text).toMatch(/BROKEN .*broken\.ts +expected `export default defineStrategy\(\{…\}\)`, found a number/);
    expect(text).toMatch(/ok +full +All of it\. \(.*full\.ts\)/);
    expect(process.exitCode).toBe(1);
    process.exitCode = 0;
  });

  it('prints YAML that parses whatever the names and descriptions of parameters hold', () => {
    const of = { type: 'a text', isRequired: false, isFile: false };
    const params = [
      { ...of, name: 'mode', description: 'how it trades:\n  - fast\n  - slow', default: 'fast' },
      { ...of, name: 'a: b', description: '', default: 'x' },
    ];
    expect(parse(paramsText(params).join('\n'))).toEqual({ params: { mode: 'fast', 'a: b': 'x' } });
  });

  it('refuses a folder that does not exist or has no strategies', async () => {
    await expect(told('list', join(folder, 'nowhere'))).rejects.toThrow(/expected a folder, found nothing/);
    await expect(told('list', join(folder, 'full.ts'))).rejects.toThrow(
      /full\.ts: expected a folder, found a file; `presage strategy describe`/,
    );
    await expect(told('list', join(folder, 'empty'))).rejects.toThrow(/expected a folder with strategies/);
  });

  it('describes a strategy: idea, parameters, and markets and handlers once the required parameters are given', async () => {
    const file = join(folder, 'full.ts');
    const facts = JSON.parse(await told('describe', file, '--json', '--param', `table=${file}`)) as Record<
      string,
      unknown
    >;
    expect(facts).toMatchObject({
      name: 'full',
      file,
      idea: ['The idea: be full. And more of it.', 'Loses never.'],
      running: { markets: { events: ['A', 'B'] }, handlers: ['onBook', 'onFill', 'onStop'] },
      isKeeping: true,
      imports: ['presage-trading'],
    });
    expect(facts['params']).toContainEqual({
      name: 'size',
      type: 'a whole number above 0',
      description: 'contracts',
      isRequired: false,
      default: 5,
      isFile: false,
    });
    const text = await told('describe', file);
    expect(text).toContain('full: All of it.\n');
    expect(text).toContain('  table\n    the trusted prices\n    a file; required\n');
    expect(text).toContain('  share\n    a number above 0 to 1; optional\n');
    expect(text).toContain('Markets\n  known once its required parameters are given by --param\n');
    await expect(told('describe', file, '--param', 'table=nowhere')).rejects.toThrow(
      /table: expected a file that the strategy can use \(.*nowhere: there is no such file\)/,
    );
    await expect(told('describe', file, '--param', 'size=0')).rejects.toThrow(
      /full: its params do not fit\n {2}size: expected more than 0, found 0\n {2}table: expected the name of a file, found nothing$/,
    );
  });

  it('prints parameters that a config can use unchanged', async () => {
    const text = await told('params', join(folder, 'full.ts'));
    expect(text).toBe(`params:
  # contracts: a whole number above 0
  size: 5
  # one of "fast", "off"
  mode: "off"
  # a number above 0 to 1
  # share:
  # the trusted prices: a file; required
  table:
  # a list, each a text
  events: ["A","B"]
`);
    expect(parse(text)).toEqual({ params: { size: 5, mode: 'off', table: null, events: ['A', 'B'] } });
    expect(await told('params', join(folder, 'plain/strategy.ts'))).toBe('params: {} # it has none\n');
  });

  it('prints the schema of the parameters', async () => {
    const schema = JSON.parse(await told('params', join(folder, 'full.ts'), '--json')) as Record<string, unknown>;
    expect(schema).toMatchObject({ type: 'object', required: ['table'], additionalProperties: false });
  });

  it('finds in every shipped strategy an idea and a description of every parameter', async () => {
    const lines = (await told('list', 'strategies', '--json')).trim().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(2);
    for (const line of lines) {
      const { file } = JSON.parse(line) as { file: string };
      const facts = JSON.parse(await told('describe', file, '--json')) as {
        idea: [];
        params: { description: string }[];
      };
      expect(facts.idea.length).toBeGreaterThan(0);
      expect(facts.params.filter(({ description }) => description === '')).toEqual([]);
    }
  });
});

describe('ideaOf', () => {
  it.each([
    ['// One.\n// Two.\n//\n// Three.\nimport 1;\n// Not this.\n', ['One. Two.', 'Three.']],
    ['/**\n * One.\n * Two.\n *\n * Three.\n */\nimport 1;', ['One. Two.', 'Three.']],
    ['/* One. */ const a = 1;', ['One.']],
    ['const a = 1;\n// Not this.\n', []],
    ['', []],
  ])('returns the comment at the start of the file: %j', (text, idea) => {
    expect(ideaOf(text)).toEqual(idea);
  });
});
