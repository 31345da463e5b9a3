// The doctor loads the strategies of a config as a session does: what `run` would refuse, the doctor reports.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runDoctor } from '../../../src/app/doctor/doctor-run.ts';
import { runSession } from '../../../src/app/session/session-run.ts';
import { limitsExample } from '../../../src/config/limit-fields.ts';
import { ConfigError } from '../../../src/base/config-error.ts';
import type { Check } from '../../../src/runtime/doctor/check-result.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-strategies-'));
afterAll(() => rmSync(folder, { recursive: true }));

const EXCHANGE = join(import.meta.dirname, '../../../config/exchange.yaml');
const HEAD = "import { defineStrategy, z } from 'presage-trading';\n";
const define = (setup: string): string =>
  `${HEAD}export default defineStrategy({ name: 'made', params: z.strictObject({ edge: z.number().default(1) }), setup: ${setup} });\n`;

/** Writes a strategy and a config that names it. Returns the config's path. */
function configWith(code: string, params = '{}'): string {
  const file = join(folder, 'made.ts');
  writeFileSync(file, code);
  const config = join(folder, 'bot.yaml');
  const strategies = `strategies: [{ name: q, file: ${file}, params: ${params} }]\n`;
  const rest = `markets: { events: [RAIN-26NOV23] }\nlog: { file: ${folder}/a.log }\ndataFolder: ${folder}/data\n`;
  writeFileSync(config, `venue: { embedded: ${EXCHANGE}, account: demo }\n${strategies}${rest}${limitsExample()}\n`);
  return config;
}
const strategyChecks = async (config: string): Promise<Check[]> =>
  (await runDoctor(config, false)).filter(({ name }) => name === 'strategy');

describe('the doctor', () => {
  it.each([
    ['whose code cannot be parsed', `${HEAD}export default {{;\n`],
    ['whose setup throws', define("() => { throw new Error('no luck'); }")],
    ['that imports what does not exist', `import './none.ts';\n${define('() => ({})')}`],
  ])('reports a strategy %s, in the words of run', async (_, code) => {
    const config = configWith(code);
    const refusal: unknown = await runSession({ file: config, forMs: 1 }).catch((fault: unknown) => fault);
    expect(refusal).toBeInstanceOf(Error);
    const [check, ...others] = await strategyChecks(config);
    expect(others).toEqual([]);
    expect(check).toMatchObject({ state: 'bad', words: `q: ${refusal instanceof Error ? refusal.message : ''}` });
    expect(check?.remedy).toContain('presage certify');
  });

  it.each([
    ['that its file does not export', `${HEAD}export const other = z;\n`, '{}'],
    ['with wrong parameters', define('() => ({})'), '{ edge: wide }'],
    ['with an unknown parameter', define('() => ({})'), '{ egde: 1 }'],
  ])('refuses a config with a strategy %s, with its line, as run does', async (_, code, params) => {
    const config = configWith(code, params);
    const refusal: unknown = await runSession({ file: config, forMs: 1 }).catch((fault: unknown) => fault);
    expect(refusal).toBeInstanceOf(ConfigError);
    await expect(runDoctor(config, false)).rejects.toEqual(refusal);
  });

  it('names each strategy that a session can start', async () => {
    const config = configWith(define('() => ({})'), '{ edge: 2 }');
    expect(await strategyChecks(config)).toEqual([
      { name: 'strategy', state: 'ok', words: `q: ${join(folder, 'made.ts')}`, remedy: null },
    ]);
  });
});
