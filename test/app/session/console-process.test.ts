// The console beside a session: its address is reported, its end is only reported, and it ends with the session.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConsoleProcess, type ConsoleNews } from '../../../src/app/session/console-process.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const ADDRESS = { type: 'listening', url: 'http://127.0.0.1:8765/#login=code' };
const PRINT_ADDRESS = `console.log(${JSON.stringify(JSON.stringify(ADDRESS))});`;
const STAY = 'setInterval(() => undefined, 1000);';

let folder = '';
let started: ConsoleProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-console-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const each of started) await each.end();
  started = [];
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a program in place of the console; it first writes its arguments, its number and its environment to files. */
function start(script: string, listen?: string) {
  const file = join(folder, 'console.mjs');
  const note = `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(join(folder, 'args'))}, JSON.stringify([process.pid, ...process.argv.slice(2)]));
writeFileSync(${JSON.stringify(join(folder, 'environment'))}, JSON.stringify(process.env));`;
  writeFileSync(file, `${note}\n${script}`);
  const news: ConsoleNews[] = [];
  const onNews = (each: ConsoleNews): void => void news.push(each);
  const beside = new ConsoleProcess({
    command: [process.execPath, file],
    bot: ['--config', 'bot.yaml'],
    variables: ['ALERT_TOKEN', 'ABSENT_TOKEN'],
    listen,
    onNews,
  });
  started.push(beside);
  return { beside, news };
}

const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 5 });
const args = (): [number, ...string[]] => JSON.parse(readFileSync(join(folder, 'args'), 'utf8'));
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a console beside a session', () => {
  it('gets the config, the address and the id of the session’s process, and reports where it listens', async () => {
    const { news } = start(
      `console.log('quatsch'); console.log('{"type":"other"}'); ${PRINT_ADDRESS} ${STAY}`,
      '[::1]:0',
    );
    await waitFor(() => expect(news).toEqual([ADDRESS]));
    const [, ...given] = args();
    const own = ['--config', 'bot.yaml', '--listen', '[::1]:0', '--parent-pid', String(process.pid), '--json'];
    expect(given).toEqual(own);
  });

  it('gets of the environment only what Node needs, and the variables that its bot’s alerts name', async () => {
    vi.stubEnv('EXCHANGE_KEY', 'a secret');
    vi.stubEnv('ALERT_TOKEN', 'a token');
    vi.stubEnv('TZ', 'Europe/Oslo');
    const { news } = start(`${PRINT_ADDRESS} ${STAY}`);
    await waitFor(() => expect(news).toEqual([ADDRESS]));
    const { EXCHANGE_KEY, ALERT_TOKEN, TZ, PATH } = JSON.parse(readFileSync(join(folder, 'environment'), 'utf8'));
    expect([EXCHANGE_KEY, ALERT_TOKEN, TZ, PATH]).toEqual([undefined, 'a token', 'Europe/Oslo', process.env['PATH']]);
  });

  it('listens at its own default where no address is given', async () => {
    const { news } = start(`${PRINT_ADDRESS} ${STAY}`);
    await waitFor(() => expect(news).toEqual([ADDRESS]));
    expect(args()).not.toContain('--listen');
  });

  it('that cannot start is reported with the last line of its errors', async () => {
    const { news } = start(`console.error('warning'); console.error('the port is taken'); process.exit(2);`);
    await waitFor(() => expect(news).toEqual([{ type: 'ended', why: 'it ended with 2: the port is taken' }]));
  });

  it('that is no program is reported', async () => {
    const news: ConsoleNews[] = [];
    const onNews = (each: ConsoleNews): void => void news.push(each);
    started.push(
      new ConsoleProcess({ command: [join(folder, 'absent')], bot: ['--config', 'bot.yaml'], variables: [], onNews }),
    );
    await waitFor(() => expect(news).toMatchObject([{ type: 'ended', why: expect.stringContaining('ENOENT') }]));
  });

  it('that is killed is reported once, and its end needs no second signal', async () => {
    const { beside, news } = start(`${PRINT_ADDRESS} ${STAY}`);
    await waitFor(() => expect(news).toEqual([ADDRESS]));
    process.kill(args()[0], 'SIGKILL');
    await waitFor(() => expect(news).toEqual([ADDRESS, { type: 'ended', why: 'it ended with SIGKILL' }]));
    await beside.end();
    expect(news.length).toBe(2);
  });

  it.each([
    ['at once', ''],
    ['by force when it does not heed the request', `process.on('SIGTERM', () => undefined);`],
  ])('ends with the session, %s, which is no news', async (_, more) => {
    const { beside, news } = start(`${more} ${PRINT_ADDRESS} ${STAY}`);
    await waitFor(() => expect(news).toEqual([ADDRESS]));
    await beside.end();
    expect(isAlive(args()[0])).toBe(false);
    expect(news).toEqual([ADDRESS]);
  });

  it('that prints without end is read, so that it never waits', async () => {
    const much = `let left = 100;
const more = () => {
  if (left-- > 0) return process.stdout.write('x'.repeat(65536), more);
  console.log('');
  ${PRINT_ADDRESS}
  ${STAY}
};
more();`;
    const { news } = start(much);
    await waitFor(() => expect(news).toEqual([ADDRESS]));
  });
});
