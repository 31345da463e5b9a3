// Halts ordered from outside, for a bot that is healthy, busy, hung, out of budget, or dead. The exchange's own list is the
// judge.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type TestContext, afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ListedOrder } from '../../src/runtime/session/cancel-sweep.ts';
import { type Line, type Presage, ROOT } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { Site, type SiteOptions, pause } from './site.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
/** Time limit of an operator's command, milliseconds. */
const WITHIN_MS = 60_000;

async function open({ onTestFinished }: TestContext, options?: SiteOptions): Promise<Site> {
  const site = await Site.open(options);
  onTestFinished(() => site.close());
  return site;
}

/** A bot with some resting orders. */
async function trading(at: Site): Promise<Presage> {
  const bot = at.run();
  await bot.line(isPhase('trading'));
  await at.until((resting) => resting.length >= 5);
  return bot;
}

/** The resting orders once they stay the same for a time: no request of a dead bot is still on its way. */
async function restingFor(at: Site, forMs: number): Promise<readonly ListedOrder[]> {
  for (let resting = await at.resting(); ;) {
    await pause(forMs);
    const now = await at.resting();
    if (isDeepStrictEqual(now, resting)) return now;
    resting = now;
  }
}

const isPhase = (phase: string) => (line: Line) =>
  line.type === 'phase' && String(line['text']).startsWith(`session ${phase}`);
const isDenied = (line: Line): boolean => line.type === 'denied' && line['code'] === 'halted';
/** The shipped strategies, in place of the one that misbehaves. */
const SHIPPED = `strategies:
  - name: quoter
    file: ${join(ROOT, 'strategies/two-sided-quoter.ts')}
    params: { events: [RAIN-OSLO, CITY-36], qtyContracts: 5, halfSpreadCents: 0.5, skewCentsPerContract: 0.1, inventoryMaxContracts: 40, toleranceCents: 1 }
`;

const DONE = { exitCode: 0, isDone: true, isSeenAtVenue: true, left: [] };

describe('presage halt', () => {
  it(
    'cancels every order of a bot with a saturated loop and an empty budget, and a restart stays halted until resume',
    async (context) => {
      // Without a watchdog, only the command itself can cancel.
      const at = await open(context, { bot: (text) => text.replace('enabled: true', 'enabled: false') });
      const bot = await trading(at);
      at.keepBusy(30);
      await pause(3000);
      const halt = await at.order('halt', '--within', `${WITHIN_MS}ms`, '--reason', 'it went mad');
      expect(halt).toMatchObject(DONE);
      expect(halt['elapsedMs']).toBeLessThanOrEqual(WITHIN_MS + 2000);
      expect(await at.resting()).toEqual([]);
      bot.kill('SIGKILL');
      await bot.exited;
      at.behave();

      const again = at.run();
      const told = await again.line((line) => line.type === 'halt');
      expect(told['text']).toContain('STILL HALTED by operator: it went mad');
      await again.line(isDenied);
      await pause(1000);
      expect(await at.resting()).toEqual([]);
      expect(again.lines.some((line) => line.type === 'fill')).toBe(false);
      expect(await at.order('resume', '--reason', 'mended')).toMatchObject({ exitCode: 0, isDone: true });
      await at.until((resting) => resting.length >= 5);
      again.kill('SIGINT');
      await again.exited;
      expect(await at.resting()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'halts a bot whose config was broken while it ran',
    async (context) => {
      const at = await open(context);
      const bot = await trading(at);
      const text = readFileSync(at.config, 'utf8');
      writeFileSync(at.config, `${text}\nlimitz: {}\n`);
      const halt = await at.order('halt', '--within', `${WITHIN_MS}ms`, '--reason', 'edited');
      expect(halt).toMatchObject({ exitCode: 2, isDone: true, isLatched: true, isSeenAtVenue: false });
      expect(halt['venueFault']).toContain('expected only known fields, found "limitz"');
      writeFileSync(at.config, text);
      expect(await at.resting()).toEqual([]);
      bot.kill('SIGINT');
      await bot.exited;
    },
    TIMEOUT_MS,
  );

  it(
    'cancels every order although the bot has used up the exchange’s rate limit',
    async (context) => {
      const at = await open(context, {
        exchange: (text) =>
          text.replace('flow:', 'limits: { trade: { model: rolling-window, count: 8, windowMs: 1000 } }\n\nflow:'),
        bot: (text) =>
          text
            .replace('  share: 0.9', '  share: 1')
            .replace('budgets:\n', 'budgets:\n  trade: { count: 300, window: 1s }\n'),
      });
      const bot = await trading(at);
      await bot.line((line) => line.type === 'rate-limited');
      expect(await at.order('halt', '--within', `${WITHIN_MS}ms`)).toMatchObject(DONE);
      expect(await at.resting()).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe('a bot whose watchdog waits for a minute', () => {
  let at: Site;
  let bot: Presage;
  beforeAll(async () => {
    at = await Site.open({ bot: (text) => text.replace('deadline: 5s', 'deadline: 60s') });
    bot = await trading(at);
  });
  afterAll(() => at.close());

  it(
    'keeps a second bot off its data folder, which is refused with the name of the process that holds it',
    async () => {
      const second = at.run();
      expect(await second.exited).toBe(2);
      expect(second.stderr).toMatch(/is held by process \d+ \(presage run, since .*\): only one can run at a time/);
    },
    TIMEOUT_MS,
  );

  it(
    'has an override ended by the config’s own value',
    async () => {
      const set = (value: string): Promise<unknown> =>
        at.order('override', '--limit', 'orderQtyMax', '--value', value, '--for', '10m', '--reason', 'thin');
      expect(await set('5')).toMatchObject({ exitCode: 0, isDone: true, isEnd: false });
      expect(await at.order('status')).toMatchObject({ overrides: [{ limit: 'orderQtyMax', reason: 'thin' }] });
      expect(await set('20')).toMatchObject({ exitCode: 0, isDone: true, isEnd: true });
      expect(await at.order('status')).toMatchObject({ overrides: [] });
      expect(bot.lines.filter(({ type }) => type === 'override').map(({ change }) => change)).toEqual([
        'begun',
        'ended',
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'stays halted when its stopped process wakes to instructions that reported a failure',
    async () => {
      expect(await at.order('halt', '--reason', 'odd')).toMatchObject(DONE);
      const before = bot.lines.length;
      bot.kill('SIGSTOP');
      expect(await at.order('resume', '--reason', 'fine')).toMatchObject({ exitCode: 1, isDone: false });
      const limit = ['--limit', 'orderQtyMax', '--value', '5', '--for', '10m', '--reason', 'thin'];
      const refusal = 'the bot runs and does not answer; it does not carry this out later';
      expect(await at.order('override', ...limit)).toMatchObject({ exitCode: 1, isDone: false, refusal });
      bot.kill('SIGCONT');
      await pause(1500);
      expect(await at.order('status')).toMatchObject({ halts: [{ reason: 'odd' }] });
      expect(await at.resting()).toEqual([]);
      expect(bot.lines.slice(before).some(({ type }) => type === 'resume' || type === 'override')).toBe(false);
      expect(await at.order('resume', '--reason', 'awake')).toMatchObject({ exitCode: 0 });
      await at.until((resting) => resting.length >= 5);
    },
    TIMEOUT_MS,
  );

  it(
    'has every order canceled by a halt while it hangs, and learns of the halt when it recovers',
    async () => {
      at.hang();
      await pause(1000);
      const halt = await at.order('halt', '--within', `${WITHIN_MS}ms`, '--reason', 'it hangs');
      expect(halt).toMatchObject({ ...DONE, remarks: expect.arrayContaining(['the bot runs and does not answer']) });
      expect(halt['by']).toEqual(['watchdog']);
      expect(await at.resting()).toEqual([]);
      const wokeMs = Date.now();
      at.behave();
      await bot.line((line) => line.type === 'halt' && String(line['text']).includes('it hangs'));
      await pause(1500);
      expect(await at.resting()).toEqual([]);
      // A bot that hung for long first recovers from the loss of its feed.
      const isBack = async (): Promise<void> =>
        expect(await at.order('status')).toMatchObject({ phase: 'trading', halts: [{ reason: 'it hangs' }] });
      await vi.waitFor(isBack, { timeout: PATIENCE_MS, interval: 500 });
      // The time is that of the command, not that at which the bot learned of it.
      // tidy: as (status prints its halts so)
      const [halted] = (await at.order('status'))['halts'] as readonly { readonly since: string }[];
      expect(Date.parse(halted?.since ?? '')).toBeLessThan(wokeMs);
    },
    TIMEOUT_MS,
  );
});

describe('a bot that is killed', () => {
  let at: Site;
  beforeAll(async () => {
    at = await Site.open();
  });
  afterAll(() => at.close());

  it(
    'has its orders canceled by the watchdog',
    async () => {
      const bot = await trading(at);
      bot.kill('SIGKILL');
      await bot.exited;
      await at.until((resting) => resting.length === 0);
      await pause(1000);
      expect(await at.resting()).toEqual([]);
      // A dead bot does not stay halted: the next one may start at once.
      expect(await at.order('status')).toMatchObject({ isRunning: false, halts: [] });
    },
    TIMEOUT_MS,
  );

  it(
    'is halted while it does not run, and later by a signal or a plain file',
    async () => {
      expect(await at.order('halt', '--reason', 'before the weekend')).toMatchObject(DONE);
      expect(await at.order('status')).toMatchObject({ isRunning: false, halts: [{ reason: 'before the weekend' }] });
      expect(await at.order('resume', '--reason', 'monday')).toMatchObject({ exitCode: 0 });
      const bot = await trading(at);
      bot.kill('SIGUSR2');
      await at.until((resting) => resting.length === 0);
      expect(await at.order('resume', '--reason', 'it was a test')).toMatchObject({ exitCode: 0 });
      await at.until((resting) => resting.length >= 5);
      writeFileSync(join(at.folder, 'local', 'HALT'), 'a colleague was worried');
      await at.until((resting) => resting.length === 0);
      expect(await at.order('status')).toMatchObject({
        halts: [{ by: 'operator', reason: 'a colleague was worried' }],
      });
    },
    TIMEOUT_MS,
  );
});

describe('presage halt of one strategy', () => {
  const strategies = (...names: readonly string[]): string =>
    names.map((name) => `  - { name: ${name}, file: nasty.mjs, slowMax: 1h, params: { resting: 4 } }\n`).join('');
  const ofPlace = (place: number) => (one: { readonly clientOrderId: string | null }) =>
    one.clientOrderId?.split('-')[1] === String(place);

  let at: Site;
  beforeAll(async () => {
    // Only the command itself can cancel here.
    at = await Site.open({
      bot: (text) =>
        text
          .replace('enabled: true', 'enabled: false')
          .replace(/strategies:\n.*\n/, `strategies:\n${strategies('alpha', 'beta')}`),
    });
  });
  afterAll(() => at.close());

  /** The orders that two strategies left resting, once their bot is dead. */
  async function leftByDead(): Promise<readonly ListedOrder[]> {
    const bot = at.run();
    await at.until((resting) => resting.filter(ofPlace(0)).length >= 3 && resting.filter(ofPlace(1)).length >= 3);
    bot.kill('SIGKILL');
    await bot.exited;
    return restingFor(at, 1000);
  }

  it(
    'cancels its orders only, although the order of strategies in the config changed since the bot died',
    async () => {
      const before = await leftByDead();
      at.write(
        'bot.yaml',
        readFileSync(at.config, 'utf8').replace(strategies('alpha', 'beta'), strategies('beta', 'alpha')),
      );
      expect(await at.order('halt', '--scope', 'strategy=alpha', '--within', `${WITHIN_MS}ms`)).toMatchObject(DONE);
      expect(await at.resting()).toEqual(before.filter(ofPlace(1)));
      expect(await at.order('halt', '--scope', 'strategy=beta', '--within', `${WITHIN_MS}ms`)).toMatchObject(DONE);
      expect(await at.resting()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'leaves alone and reports orders of a session that the data folder does not know',
    async () => {
      // The next bot begins without the halts.
      rmSync(join(at.folder, 'local'), { recursive: true });
      expect(await leftByDead()).not.toEqual([]);
      rmSync(join(at.folder, 'local'), { recursive: true });
      const halt = await at.order('halt', '--scope', 'strategy=alpha');
      expect(halt).toMatchObject({ exitCode: 1, isDone: false, isSeenAtVenue: true });
      expect(halt['left']).toHaveLength((await at.resting()).length);
      expect(halt['remarks']).toContainEqual(expect.stringContaining('without --scope, all of them are canceled'));
      expect(await at.order('halt')).toMatchObject(DONE);
    },
    TIMEOUT_MS,
  );
});

describe('presage flatten', () => {
  it(
    'closes the positions of the shipped strategies, as the exchange’s ledger shows, and stays halted',
    async (context) => {
      const at = await open(context, { bot: (text) => text.replace(/strategies:\n.*\n/, SHIPPED) });
      const bot = at.run();
      await bot.line((line) => line.type === 'fill');
      const flatten = await at.order('flatten', '--within', `${WITHIN_MS}ms`, '--reason', 'the day is over');
      expect(flatten).toMatchObject({ exitCode: 0, isFlat: true, report: { left: [], remarks: [] } });
      expect(await at.order('status')).toMatchObject({ positions: [], halts: [{ reason: 'the day is over' }] });
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
      expect(await at.ledger()).toMatchObject({ reserved: 0, positions: [] });
    },
    TIMEOUT_MS,
  );
});

describe('the watchdog', () => {
  it(
    'keeps to the config of the session when it is replaced after the file has changed',
    async (context) => {
      const at = await open(context, { bot: (text) => text.replace('deadline: 5s', 'deadline: 1s') });
      await trading(at);
      const pid = (): string => readFileSync(join(at.folder, 'local', 'watchdog.pid'), 'utf8');
      await vi.waitFor(() => expect(pid()).toMatch(/^\d+/), { timeout: PATIENCE_MS });
      const first = pid();
      at.write('bot.yaml', readFileSync(at.config, 'utf8').replace('deadline: 1s', 'deadline: 10m'));
      process.kill(Number.parseInt(first, 10), 'SIGKILL');
      await vi.waitFor(() => expect([first, '']).not.toContain(pid()), { timeout: PATIENCE_MS, interval: 50 });
      at.hang();
      await at.until((resting) => resting.length === 0);
      at.behave();
    },
    TIMEOUT_MS,
  );

  it(
    'cancels and halts for a bot that hangs beyond its deadline',
    async (context) => {
      const at = await open(context, { bot: (text) => text.replace('deadline: 5s', 'deadline: 1s') });
      const bot = await trading(at);
      at.hang();
      await at.until((resting) => resting.length === 0);
      at.behave();
      await bot.line((line) => line.type === 'halt');
      // The bot learns of the cancels a moment later than of the halt.
      const isTold = async (): Promise<void> =>
        expect(await at.order('status')).toMatchObject({ halts: [{ by: 'watchdog' }], orders: { working: 0 } });
      await vi.waitFor(isTold, { timeout: PATIENCE_MS, interval: 500 });
      expect(await at.resting()).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
