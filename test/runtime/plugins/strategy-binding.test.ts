// Strategies of a config: parameters that do not fit are reported by the config's lines, and file names become the
// files' texts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBacktestConfig } from '../../../src/config/backtest-config.ts';
import { limitsExample } from '../../../src/config/limit-fields.ts';
import { paramsFromConfig } from '../../../src/runtime/plugins/config-params.ts';
import { bindStrategies, bindStrategy } from '../../../src/runtime/plugins/strategy-binding.ts';
import { StrategySandbox } from '../../support/sessions/strategy-sandbox.ts';

const sandbox = new StrategySandbox();
beforeAll(async () => {
  await sandbox.installPackages();
  sandbox.writeFile(
    'believer.ts',
    `import { defineStrategy, fileText, probabilityFile, z } from 'presage-trading';
export default defineStrategy({
  name: 'believer',
  params: z.strictObject({
    halfSpreadCents: z.number().positive().default(2),
    qtyContracts: z.number().int(),
    mode: z.enum(['slow', 'fast']).default('slow'),
    beliefs: fileText().optional(),
    table: probabilityFile().optional(),
    nested: z.strictObject({ at: z.number() }).optional(),
  }),
  setup({ params }) {
    if (params.mode === 'fast') throw new RangeError('too fast');
    return { onStart: () => void params };
  },
});
`,
  );
});
afterAll(() => sandbox.close());

/**
 * A config whose one strategy has these params, written from line 5 on; and its strategies bound as a backtest would.
 */
async function bindConfig(params: string) {
  const text = `tape: t
cash: 1
markets: { events: [A] }
strategies:
  - name: me
    file: believer.ts
    params:
${params.replaceAll(/^/gm, '      ')}
${limitsExample()}
`;
  const file = sandbox.writeFile('bot.yaml', text);
  const config = readBacktestConfig(file);
  return bindStrategies(config.strategies, paramsFromConfig(file));
}

const complaint = (params: string): Promise<string> =>
  bindConfig(params).then(
    () => 'nothing',
    (fault: Error) => fault.message.replaceAll(`${join(sandbox.folder, 'bot.yaml')}:`, ''),
  );

describe('parameters of a config', () => {
  it('a strategy accepts parameters that fit', async () => {
    const [ready] = await bindConfig('qtyContracts: 3');
    expect(ready?.bound.name).toBe('me');
    expect(ready?.use.params).toEqual({ qtyContracts: 3 });
  });

  it.each([
    ['qtyContracts: three', '8:7: strategies[0].params.qtyContracts: expected a number, found "three"'],
    ['halfSpreadCents: 1', '7:5: strategies[0].params.qtyContracts: expected a number, found nothing'],
    [
      'qtyContracts: 3\nhalfSpreadCents: -1',
      '9:7: strategies[0].params.halfSpreadCents: expected more than 0, found -1',
    ],
    ['qtyContracts: 3\nmode: quick', '9:7: strategies[0].params.mode: expected one of slow, fast, found "quick"'],
    ['qtyContracts: 3\nnested: { at: x }', '9:17: strategies[0].params.nested.at: expected a number, found "x"'],
    [
      'qtyContracts: 3\nhalfspreadcents: 1',
      '9:7: strategies[0].params.halfspreadcents: expected the parameter halfSpreadCents, not halfspreadcents, found 1',
    ],
    [
      'qtyContracts: 3\nnested: { att: 1, at: 2 }',
      '9:17: strategies[0].params.nested.att: expected the parameter at, not att, found 1',
    ],
    [
      'qtyContracts: 3\nwholly: 1',
      '9:7: strategies[0].params.wholly: expected one of the parameters halfSpreadCents, qtyContracts, mode, beliefs, table, nested, not wholly, found 1',
    ],
  ])(
    'parameters that do not fit are reported by line, field, what was expected and what was found: %j',
    async (params, told) => {
      expect(await complaint(params)).toBe(told);
    },
  );

  it('a strategy’s file or package that does not exist is reported by the config’s own line', async () => {
    const file = sandbox.writeFile(
      'absent.yaml',
      'strategies:\n  - name: me\n    file: ./absent.ts\n  - name: you\n    package: absent/quoter\n',
    );
    const use = (path: string) => ({ name: 'me', file: join(sandbox.folder, path), params: {} });
    const absent = join(sandbox.folder, 'absent.ts');
    await expect(bindStrategies([use('absent.ts')], paramsFromConfig(file))).rejects.toThrow(
      `${file}:3:5: strategies[0].file: expected a file with a strategy (${absent}: no such file), found "./absent.ts"`,
    );
    const second = (): ReturnType<ReturnType<typeof paramsFromConfig>> => paramsFromConfig(file)(1);
    await expect(bindStrategies([use('node_modules/absent/quoter')], second)).rejects.toThrow(
      `${file}:5:5: strategies[1].package: expected a package with a strategy (package absent is not installed in ${sandbox.folder} or above: npm install absent), found "absent/quoter"`,
    );
  });

  it('a parameter of a strategy that has none is refused as such', async () => {
    const text = `import { defineStrategy, z } from 'presage-trading';
export default defineStrategy({ name: 'bare', params: z.strictObject({}), setup: () => ({}) });`;
    const use = { name: 'me', file: sandbox.writeFile('bare.ts', text), params: { foo: 1 } };
    await expect(bindStrategies([use], () => ({ folder: sandbox.folder, lines: null }))).rejects.toThrow(
      /its params do not fit\n {2}foo: expected no parameter, found 1$/,
    );
  });

  it('zod’s own messages are shown as what was expected', async () => {
    const text = `import { defineStrategy, z } from 'presage-trading';
export default defineStrategy({ name: 'picky', setup: () => ({}), params: z.strictObject({
  code: z.string().regex(/^a/),
  mail: z.email(),
  step: z.number().multipleOf(5),
  odd: z.number().refine((n) => n % 2 === 1),
  even: z.number().refine((n) => n % 2 === 0, 'an even number'),
}) });`;
    const params = { code: 'b', mail: 'c', step: 3, odd: 4, even: 5 };
    const use = { name: 'me', file: sandbox.writeFile('picky.ts', text), params };
    await expect(bindStrategies([use], () => ({ folder: sandbox.folder, lines: null }))).rejects.toThrow(
      [
        'code: expected a text that must match pattern /^a/, found "b"',
        'mail: expected a valid email address, found "c"',
        'step: expected a multiple of 5, found 3',
        'odd: expected a value that its schema accepts, found 4',
        'even: expected an even number, found 5',
      ].join('\n  '),
    );
  });

  it('all parameters that do not fit are reported together', async () => {
    expect((await complaint('qtyContracts: x\nmode: y')).split('\n')).toHaveLength(2);
  });

  it('a setup that fails because of parameters is reported with the strategy’s file and line', async () => {
    const told = `${join(sandbox.folder, 'believer.ts')}: strategy me: its setup failed: RangeError: too fast (believer.ts:13)`;
    expect(await complaint('qtyContracts: 3\nmode: fast')).toBe(told);
  });
});

describe('a parameter that names a file', () => {
  it('a file name becomes the file’s text, read from beside the config', async () => {
    mkdirSync(join(sandbox.folder, 'data'));
    sandbox.writeFile('data/beliefs.txt', 'RAIN 0.4\n');
    const [ready] = await bindConfig('qtyContracts: 3\nbeliefs: data/beliefs.txt');
    expect(ready?.use.params).toEqual({ qtyContracts: 3, beliefs: 'RAIN 0.4\n' });
    // In a journal it is the text itself, no longer a name.
    const again = await bindStrategy({ ...ready!.use, params: { qtyContracts: 3, beliefs: 'data/beliefs.txt' } });
    expect(again.name).toBe('me');
  });

  it('a faulty file is reported with what is wrong in it, by its own line', async () => {
    sandbox.writeFile('table.csv', 'ticker,probability\nRAIN,1.4\n');
    expect(await complaint('qtyContracts: 3\ntable: table.csv')).toBe(
      '9:7: strategies[0].params.table: expected a file that the strategy can use (line 2, column probability: expected a number from 0 to 1, found "1.4"), found "table.csv"',
    );
  });

  it('a file that cannot be read is reported with its path and the reason', async () => {
    const expected = '9:7: strategies[0].params.beliefs: expected a file that the strategy can use (';
    const at = (name: string): string => join(sandbox.folder, name);
    expect(await complaint('qtyContracts: 3\nbeliefs: nowhere.txt')).toBe(
      `${expected}${at('nowhere.txt')}: there is no such file), found "nowhere.txt"`,
    );
    expect(await complaint('qtyContracts: 3\nbeliefs: data')).toBe(
      `${expected}${at('data')}: it is a folder), found "data"`,
    );
    writeFileSync(at('big.txt'), Buffer.alloc(10_000_001));
    expect(await complaint('qtyContracts: 3\nbeliefs: big.txt')).toBe(
      `${expected}${at('big.txt')}: it has 10000001 bytes, at most 10 MB can be read), found "big.txt"`,
    );
    writeFileSync(at('bytes.txt'), Buffer.from([0xff, 0xfe, 0x00]));
    expect(await complaint('qtyContracts: 3\nbeliefs: bytes.txt')).toBe(
      `${expected}${at('bytes.txt')}: it is not text in UTF-8), found "bytes.txt"`,
    );
    expect(await complaint('qtyContracts: 3\nbeliefs: 5')).toContain('beliefs: expected the name of a file, found 5');
    expect(await complaint('qtyContracts: 3\ntable:')).toContain('table: expected the name of a file, found nothing');
  });
});
