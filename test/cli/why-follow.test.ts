// `presage why --follow` beside a bot that runs: its answers are those of a replay, it finishes the index when the session ends,
// it refuses a second process, and it ends with its parent.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openWhySource } from '../../src/app/why/why-run.ts';
import { TapeReader } from '../../src/tape/journal/tape-reader.ts';
import { answerWhy } from '../../src/why/answer-why.ts';
import { type WhyAnswer, whyAnswerSchema } from '../../src/why/why-answer.ts';
import { Presage, presage, shippedConfig } from '../e2e/presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

/** The index is made at the lowest priority: all other work of a busy machine comes first. */
const INDEX_MS = 2 * PATIENCE_MS;
const WAIT = { timeout: INDEX_MS, interval: 200 };
const TIMEOUT_MS = 2 * INDEX_MS;

let folder = '';
let started: Presage[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-why-follow-'));
});
afterEach(() => {
  for (const program of started) program.kill('SIGKILL');
  started = [];
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: string[]): Presage {
  const program = new Presage(args);
  started.push(program);
  return program;
}

/** Starts the demo, which trades when this resolves. */
async function runDemo(): Promise<{ readonly bot: Presage; readonly config: string; readonly data: string }> {
  const config = join(folder, 'demo.yaml');
  writeFileSync(config, shippedConfig('demo.yaml', folder));
  const bot = start('run', '--config', config, '--json');
  await bot.line(({ type, phase }) => type === 'snapshot' && phase === 'trading');
  return { bot, config, data: join(folder, 'demo') };
}

const MARKET = 'RAIN-OSLO-DAY';

/** The part of an answer that stays the same while the session goes on. Its first check has the end of the session. */
const lasting = ({ session, strategy, sentence, steps, isTraded }: WhyAnswer) => ({
  session,
  strategy,
  sentence,
  steps: steps.slice(1),
  isTraded,
});

/** Time of the last entry that the journal has on disk. */
const lastEntryUs = (data: string): number =>
  [...new TapeReader(openWhySource({ data }).journal).entries()].at(-1)?.at ?? 0;

/** The answers of the index alone, once it has reached the moment: nothing is replayed. */
function indexedAnswers(data: string, atUs: number): Promise<readonly WhyAnswer[]> {
  const source = { ...openWhySource({ data }), strategies: () => Promise.reject(new Error('replayed')) };
  return vi.waitFor(() => answerWhy(source, { ticker: MARKET, atUs }), WAIT);
}

describe('presage why --follow', () => {
  it(
    'keeps the index of a live bot, and finishes it',
    async () => {
      const { bot, config, data } = await runDemo();
      const follow = start('why', '--follow', '--config', config, '--json');
      const current = await follow.line(({ type }) => type === 'why-current');
      expect(current['inputs']).toBeGreaterThan(0);
      // Inputs are in the journal, so the session is under way at this moment.
      const atUs = Date.now() * 1000;
      // Its inputs of that moment reach the journal a little later. An answer before that lacks some of them.
      await vi.waitFor(() => expect(lastEntryUs(data)).toBeGreaterThan(atUs + 2_000_000), WAIT);
      const at = new Date(atUs / 1000).toISOString();
      // With --allow-changed no index is read.
      const question = ['--config', config, '--market', MARKET, '--at', at, '--json'];
      const { stdout, stderr } = await presage('why', ...question, '--allow-changed');
      const replayed = stdout.split('\n').filter((line) => line !== '');
      expect(stderr).toBe('');
      const answers = replayed.map((line) => lasting(whyAnswerSchema.parse(JSON.parse(line))));
      // On a busy machine the index comes to the last inputs of the moment after the replay.
      const indexed = await vi.waitFor(async () => {
        const found = await indexedAnswers(data, atUs);
        expect(found.map(lasting)).toEqual(answers);
        return found;
      }, WAIT);
      expect(indexed.map(({ session, source }) => [session, source])).toEqual([
        [current['session'], 'replay'],
        [current['session'], 'replay'],
      ]);

      const second = await presage('why', '--follow', '--data', data);
      expect([second.code, second.stderr]).toEqual([2, expect.stringContaining(`in use by process ${follow.pid}`)]);

      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
      expect(await follow.line(({ type }) => type === 'why-indexed')).toMatchObject({
        session: current['session'],
        leftOut: null,
      });
      expect((await indexedAnswers(data, atUs)).map(lasting)).toEqual(indexed.map(lasting));
      follow.kill('SIGTERM');
      expect(await follow.exited).toBe(0);
      expect(readdirSync(join(data, 'why'))).toEqual([`${String(current['session'])}.facts.db`]);
    },
    TIMEOUT_MS,
  );

  it(
    'ends when its parent has gone, and leaves no lock',
    async () => {
      const { data } = await runDemo();
      const parent = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
      const follow = start('why', '--follow', '--data', data, '--parent-pid', String(parent.pid), '--json');
      await follow.line(({ type }) => type === 'why-current');
      parent.kill('SIGKILL');
      expect(await follow.exited).toBe(0);
      expect(readdirSync(join(data, 'why'))).not.toContain('lock');
    },
    TIMEOUT_MS,
  );
});
