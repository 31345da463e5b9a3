// The journal of a real run: verified, inspected, replayed; damaged, and replayed with another strategy.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Presage, ROOT, endOf, isAccepted, isTrading, presage, shippedConfig } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
/** Accepted orders that the session has at least. */
const ORDERS_MIN = 20;

/** Inside the project, so that a copied strategy finds the package that it imports. */
let folder = '';
let journal = '';
/** The account's value that the session printed at its end. */
let equity = 0;
beforeAll(async () => {
  mkdirSync(join(ROOT, 'var'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'var', 'journal-test-'));
  cpSync(join(ROOT, 'strategies'), join(folder, 'strategies'), { recursive: true });
  const text = shippedConfig('demo.yaml', folder);
  const moved = text.replaceAll(join(ROOT, 'strategies'), join(folder, 'strategies'));
  writeFileSync(join(folder, 'demo.yaml'), `${moved}\nupkeep: { fills: 1s, compare: 1s, audit: 500ms, markets: 1s }\n`);
  const report = ['--report', join(folder, 'report.html')];
  const config = join(folder, 'demo.yaml');
  const bot = new Presage(['run', '--config', config, '--json', '--seed', '7', ...report]);
  // A session that traded, and is long enough for maintenance reads: a snapshot comes once a second.
  await Promise.all([
    bot.line(({ type }) => type === 'fill'),
    bot.gotLines(ORDERS_MIN, isAccepted),
    bot.gotLines(4, isTrading),
  ]);
  expect(await bot.stop(), bot.stderr).toBe(0);
  const end = endOf(bot) as unknown as { journal: string; account: { equity: number } };
  journal = end.journal;
  equity = end.account.equity;
}, TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of the journal, to be damaged. */
function copied(name: string): { readonly place: string; readonly file: string } {
  // At the same depth, so that the relative paths of the strategies stay valid.
  const place = join(folder, name, 'journal');
  cpSync(journal, place, { recursive: true });
  return { place, file: join(place, '00000001.tape.gz') };
}

/** The roles of the entries about an order, in the sequence of the journal. */
async function rolesOf(order: string): Promise<string[]> {
  const { code, stdout } = await presage('journal', 'inspect', journal, '--order', order, '--json');
  expect(code).toBe(0);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { role: string }).role);
}

async function firstOf<T>(items: readonly T[], isIt: (item: T) => Promise<boolean>): Promise<T | null> {
  for (const item of items) if (await isIt(item)) return item;
  return null;
}

describe('the journal of a run', () => {
  it('is in the data folder, packed, and every line of it is valid', async () => {
    expect(journal).toBe(join(folder, 'demo', 'journal'));
    expect(readdirSync(journal)).toEqual(['00000001.tape.gz']);
    const { code, stdout } = await presage('journal', 'verify', journal, '--json');
    expect(code).toBe(0);
    const summary = JSON.parse(stdout) as { fault: unknown; sessions: { endedBy: string; counts: object }[] };
    expect(summary.fault).toBeNull();
    expect(summary.sessions).toHaveLength(1);
    expect(summary.sessions[0]).toMatchObject({ endedBy: 'stopped' });
    for (const kind of ['frame', 'answer', 'event', 'commands', 'feed-up', 'feed-sent'])
      expect(summary.sessions[0]?.counts, kind).toHaveProperty(kind);
    const commands = await presage('journal', 'inspect', journal, '--kind', 'commands', '--json');
    for (const read of ['fills', 'positions', 'balance', 'book', 'markets'])
      expect(commands.stdout.split(`"what":"${read}"`).length, `maintenance reads of ${read}`).toBeGreaterThan(2);
  });

  it(
    'replays to the same commands',
    async () => {
      const { code, stdout } = await presage('journal', 'replay', journal, '--json');
      const { sessions } = JSON.parse(stdout) as { sessions: { difference: unknown; commands: number }[] };
      expect(sessions).toHaveLength(1);
      expect(sessions[0]?.difference).toBeNull();
      expect(sessions[0]?.commands).toBeGreaterThan(20);
      expect(code).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'is reported with the session’s profit and nothing unexplained, and as a page',
    async () => {
      const { code, stdout, stderr } = await presage('journal', 'report', journal, '--json');
      expect(code, stderr).toBe(0);
      const { run, account, split, fillCount } = JSON.parse(stdout) as {
        run: object;
        account: { closingEquity: number };
        split: { unexplained: number };
        fillCount: number;
      };
      expect(run).toMatchObject({ kind: 'live', name: 'quoter, arbitrage' });
      expect(account.closingEquity).toBe(equity);
      expect(split.unexplained).toBe(0);
      expect(fillCount).toBeGreaterThan(0);
      const page = readFileSync(join(folder, 'report.html'), 'utf8');
      expect(page).toContain('quoter, arbitrage');
      expect(page).not.toContain('Nothing was traded.');
    },
    TIMEOUT_MS,
  );

  it('shows the cause, the commands and the answers of an order', async () => {
    const placed = await presage('journal', 'inspect', journal, '--kind', 'commands');
    const orders = [...placed.stdout.matchAll(/place (\S+):/g)].map(([, order = '']) => order);
    // The feed says nothing of an order that the exchange refuses.
    const accepted = await firstOf(orders.slice(0, 10), async (order) => (await rolesOf(order)).includes('report'));
    expect(accepted).not.toBeNull();
    const roles = await rolesOf(accepted ?? '');
    expect(roles.slice(0, 2)).toEqual(['cause', 'command']);
    expect(roles).toContain('answer');
  });

  it('holds no key and no signature', async () => {
    const { stdout } = await presage('journal', 'inspect', journal, '--json');
    expect(stdout).not.toMatch(/PRIVATE KEY|signature|ACCESS-/i);
    expect(stdout.split('\n')[0]).not.toContain(folder);
  });

  it('names the line with a flipped bit', async () => {
    const { place, file } = copied('flipped');
    const bytes = readFileSync(file);
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 16;
    writeFileSync(file, bytes);
    const verified = await presage('journal', 'verify', place);
    expect(verified.code).toBe(1);
    expect(verified.stdout).toMatch(/DAMAGED: 00000001\.tape\.gz, line \d{3,}, entry \d{3,}: expected .*, found/);
    const replayed = await presage('journal', 'replay', place);
    expect(replayed.code).toBe(1);
    expect(replayed.stderr).toMatch(/^presage: the journal is damaged: 00000001\.tape\.gz, line \d+/);
  });

  it(
    'is replayed with another strategy only on request, and then the first difference is shown',
    async () => {
      const changed = join(folder, 'changed');
      cpSync(join(folder, 'strategies'), changed, { recursive: true });
      const file = join(changed, 'two-sided-quoter.ts');
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(/setup\(.*\{/, (head) => `${head}\n    return {};`),
      );
      const args = ['journal', 'replay', journal, '--strategies', changed];
      const refused = await presage(...args);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(/is not what strategy quoter ran with: expected SHA-256 [0-9a-f]{64}, found/);
      const differs = await presage(...args, '--allow-changed');
      expect(differs.code).toBe(1);
      expect(differs.stdout).toMatch(/then it DIFFERS\n {2}entry \d+ \(00000001\.tape\.gz, line \d+\) at 20/);
      expect(differs.stdout).toMatch(/\n {2}expected \[\{/);
    },
    TIMEOUT_MS,
  );

  it('says how to replay when the strategies’ files have moved', async () => {
    cpSync(journal, join(folder, 'moved'), { recursive: true });
    const { code, stderr } = await presage('journal', 'replay', join(folder, 'moved'));
    expect(code).toBe(2);
    expect(stderr).toMatch(/two-sided-quoter\.ts: no such file; --strategies says in which folder to look\n$/);
  });

  it('is reported as missing where there is none', async () => {
    const { code, stderr } = await presage('journal', 'verify', join(folder, 'nowhere'));
    expect(code).toBe(2);
    expect(stderr).toMatch(/expected a folder with a journal, found no file named like 00000001\.tape/);
    const ofFile = await presage('journal', 'verify', join(folder, 'demo.yaml'));
    expect(ofFile.code).toBe(2);
    expect(ofFile.stderr).toMatch(/demo\.yaml: expected a folder with a journal, found a file/);
  });
});
