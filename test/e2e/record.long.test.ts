// Recordings: beside a trading bot, killed in the middle, and of a whole session; then every command for tapes.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordingFolder } from '../../src/app/session/recording-folder.ts';
import { micros } from '../../src/domain/units.ts';
import { type Line, isAccepted, isEnd, presage } from './presage.ts';
import { Site } from './site.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;

const json = async <T>(...args: string[]): Promise<T> => {
  const { code, stdout, stderr } = await presage(...args, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as T;
};

/** The content of all files of a tape. */
const textOf = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.tape.gz'))
    .map((name) => gunzipSync(readFileSync(join(folder, name))).toString())
    .join('');

interface Info {
  readonly of: string;
  readonly facts: {
    readonly from: number;
    readonly to: number;
    readonly rows: number;
    readonly counts: Record<string, number>;
    readonly gaps: unknown[];
  };
  readonly markets: readonly { readonly ticker: string; readonly deltas: number }[];
}

/** True for the figures of a recording, printed once a second, that has all that the tests look for. */
const isEnough = ({ type, frames, liveBooks }: Line): boolean =>
  type === 'progress' && Number(frames) > 100 && liveBooks === 6;

let site: Site;
let tape = '';
let bot: { readonly exitCode: number | null; readonly end: Line | undefined; readonly recording: string };
let recorder: { readonly exitCode: number | null; readonly lines: readonly Line[] };
beforeAll(async () => {
  site = await Site.open();
  tape = join(site.folder, 'tape');
  const recording = join(site.folder, 'session');
  const trading = site.run('--record', recording);
  await trading.line((line) => line.type === 'phase' && String(line['text']).includes('trading'));
  const watching = site.start(['record', '--config', site.config, '--out', tape, '--json']);
  // Enough of every market, while the bot trades on.
  await watching.gotLines(3, isEnough);
  await trading.gotLines(trading.lines.filter(isAccepted).length + 10, isAccepted);
  recorder = { exitCode: await watching.stop(), lines: watching.lines };
  bot = { exitCode: await trading.stop(), end: trading.lines.find(isEnd), recording };
}, TIMEOUT_MS);
afterAll(() => site.close());

describe('presage record', () => {
  it('ends well, and prints its figures and the tape’s folder', () => {
    expect(recorder.exitCode).toBe(0);
    expect(recorder.lines.filter(({ type }) => type === 'progress').length).toBeGreaterThan(1);
    const end = recorder.lines.find(isEnd);
    expect(end).toMatchObject({
      end: { type: 'stopped' },
      recording: tape,
      feedLosses: 0,
      bookGaps: 0,
      keptOut: 0,
      markets: 6,
    });
    expect(end?.['frames']).toBeGreaterThan(100);
    expect(readdirSync(tape)).toEqual(['00000001.tape.gz']);
  });

  it('records nothing of the account, although a bot with the same key trades', () => {
    const [recorded, own] = [textOf(tape), textOf(bot.recording)];
    const clientIds = new Set([...own.matchAll(/"clientOrderId":"([^"]+)"/g)].map((match) => match[1] ?? ''));
    const venueIds = new Set([...own.matchAll(/order_id\\?":\\?"([0-9a-f-]{20,})/g)].map((match) => match[1] ?? ''));
    expect(clientIds.size).toBeGreaterThan(10);
    expect(venueIds.size).toBeGreaterThan(10);
    for (const id of [...clientIds, ...venueIds]) expect(recorded.includes(id), id).toBe(false);
    expect(recorded).not.toMatch(/PRIVATE KEY|signature|ACCESS-|demo-key|client_order_id/i);
    expect(recorded).not.toMatch(
      /"(?:type|what)":"(?:place|cancel|fills?|user_order|market_positions?|balance|orders?)"/,
    );
    expect(recorded).not.toContain(site.folder);
  });

  it('makes a tape that can be verified and summarized', { timeout: TIMEOUT_MS }, async () => {
    const verified = await presage('tape', 'verify', tape);
    expect(verified.code).toBe(0);
    expect(verified.stdout).toContain('every line fits the one before');
    const info = await json<Info>('tape', 'info', tape);
    expect(info).toMatchObject({ of: 'recording', facts: { gaps: [] } });
    expect(info.markets.map(({ ticker }) => ticker)).toHaveLength(6);
    const shown = await presage('tape', 'info', tape);
    expect(shown.stdout).toMatch(/: a recording of service\n.*\n.*session /s);
  });

  it('makes a tape that can be sliced, merged, exported and verified', { timeout: TIMEOUT_MS }, async () => {
    const { facts, markets } = await json<Info>('tape', 'info', tape);
    const moment = new Date(Math.floor((facts.from + facts.to) / 2000)).toISOString();
    const [first, second, whole] = ['first', 'second', 'whole'].map((name) => join(site.folder, `${name}.arrow`)) as [
      string,
      string,
      string,
    ];
    expect((await presage('tape', 'slice', tape, '--to', moment, '--out', first)).code).toBe(0);
    expect((await presage('tape', 'slice', tape, '--from', moment, '--out', second)).code).toBe(0);
    const merged = await json<{ facts: Info['facts']; doubledPrints: number }>(
      'tape',
      'merge',
      first,
      second,
      '--out',
      whole,
    );
    expect(merged).toMatchObject({ doubledPrints: 0, facts: { from: facts.from, to: facts.to, gaps: [] } });
    expect(merged.facts.counts).toMatchObject({ delta: facts.counts['delta'], print: facts.counts['print'] });
    expect((await json<Info>('tape', 'info', whole)).markets.map(({ deltas }) => deltas)).toEqual(
      markets.map(({ deltas }) => deltas),
    );
    expect((await presage('tape', 'verify', whole)).code).toBe(0);
    for (const format of ['csv', 'parquet']) {
      const out = join(site.folder, `whole.${format}`);
      expect(await json('tape', 'export', whole, '--out', out)).toEqual({ file: out, format, rows: merged.facts.rows });
    }
    const lines = readFileSync(join(site.folder, 'whole.csv'), 'utf8').split('\n');
    expect(lines[0]).toBe('received_at,venue_at,kind,ticker,side,price,qty,text');
    const refused = await presage('tape', 'slice', tape, '--to', moment, '--out', first);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--out: expected the name of a new file/) as string,
    });
  });

  it(
    'leaves a readable tape when it is killed, and continues it',
    async () => {
      const out = join(site.folder, 'killed');
      const args = ['record', '--config', site.config, '--out', out, '--markets', 'RAIN-OSLO-DAY', '--json'];
      const killed = site.start(args);
      await killed.line((line) => line.type === 'progress' && Number(line['frames']) > 5);
      killed.kill('SIGKILL');
      await killed.exited;
      const before = await json<Info>('tape', 'info', out);
      expect(before.markets.map(({ ticker }) => ticker)).toEqual(['RAIN-OSLO-DAY']);
      const again = site.start(args);
      await again.line((line) => line.type === 'progress' && Number(line['frames']) > 5);
      again.kill('SIGTERM');
      expect(await again.exited).toBe(0);
      const both = await json<Info & { sessions: unknown[] }>('tape', 'info', out);
      expect(both.sessions).toHaveLength(2);
      expect(both.facts.gaps).toMatchObject([{ reason: 'between two sessions' }]);
      expect(both.facts.rows).toBeGreaterThan(before.facts.rows);
    },
    TIMEOUT_MS,
  );

  it('refuses an invalid config, moment or tape', { timeout: TIMEOUT_MS }, async () => {
    expect(await presage('record', '--config', join(site.folder, 'none.yaml'))).toMatchObject({ code: 2 });
    expect(await presage('record', '--config', site.config, '--markets', 'a b')).toMatchObject({ code: 2 });
    const none = await presage(
      'record',
      '--config',
      site.config,
      '--markets',
      'NOPE',
      '--out',
      join(site.folder, 'nope'),
    );
    expect(none).toMatchObject({ code: 2, stderr: 'presage: not found at the venue: NOPE\n' });
    expect(none.stdout).toMatch(/^NOTHING WAS RECORDED in 0:00: the venue has none of these markets; the log is /);
    expect(await presage('tape', 'info', join(site.folder, 'none'))).toMatchObject({ code: 2 });
    expect(await presage('tape', 'slice', tape, '--from', 'noon', '--out', 'x.arrow')).toMatchObject({ code: 2 });
    const past = await presage(
      'tape',
      'slice',
      tape,
      '--to',
      '2020-01-01T00:00:00Z',
      '--out',
      join(site.folder, 'x.arrow'),
    );
    expect(past).toMatchObject({ code: 2, stderr: expect.stringMatching(/expected a range within 20\d\d-/) as string });
  });
});

describe('presage run --record', () => {
  it('records the whole session in the given folder, besides the journal', { timeout: TIMEOUT_MS }, async () => {
    expect(bot.exitCode).toBe(0);
    const journal = String(bot.end?.['journal']);
    expect(bot.end).toMatchObject({ recording: bot.recording });
    expect(journal).not.toBe(bot.recording);
    const [own, asked] = await Promise.all(
      [journal, bot.recording].map((place) =>
        json<{ entries: number; fault: unknown; sessions: { of: string }[] }>('journal', 'verify', place),
      ),
    );
    expect(asked).toMatchObject({ fault: null, sessions: [{ of: 'journal' }] });
    expect(asked?.entries).toBe(own?.entries);
    expect((await presage('journal', 'replay', bot.recording, '--json')).code).toBe(0);
  });

  it('names the folder by the time without one', () => {
    expect(recordingFolder(true, micros(1_763_711_100_000_000))).toMatch(/recordings.2025-11-21T074500Z$/);
    expect(recordingFolder(undefined, micros(0))).toBeNull();
  });
});
