// The metrics of a live session, asked for over its control socket and scraped from its port.
import { mkdtempSync, renameSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openMetricsPort } from '../../../src/app/session/metrics-port.ts';
import { Supervision } from '../../../src/app/session/supervision.ts';
import { cents } from '../../../src/domain/units.ts';
import { openLog } from '../../../src/log.ts';
import type { BotFigures } from '../../../src/metrics/bot-figures.ts';
import { scrapeBots } from '../../../src/metrics/scrape-bots.ts';
import { sendControlRequest } from '../../../src/runtime/operator/control-client.ts';
import { controlPath } from '../../../src/runtime/operator/control-path.ts';
import { LiveSession } from '../../../src/runtime/session/live-session.ts';
import { M0 } from '../../support/engine/builders.ts';
import { aStrategy, depthQuoter, quoter } from '../../support/engine/engine-harness.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';
import { LiveVenue } from '../../support/sessions/live-venue.ts';
import { configIn, makeDataFolder, removeDataFolder } from '../../support/sessions/supervised-folder.ts';

const waitFor = (claim: () => unknown): Promise<unknown> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 2 });
const WITHIN = { acknowledgedWithinMs: PATIENCE_MS, doneWithinMs: PATIENCE_MS };

let folder = '';
let closings: (() => unknown)[] = [];
beforeEach(() => {
  folder = makeDataFolder();
});
afterEach(async () => {
  for (const close of closings.reverse()) await close();
  closings = [];
  removeDataFolder(folder);
});

/** Starts a supervised session and waits until it quotes. */
async function startSession(isPaper = false) {
  const venue = new LiveVenue(1);
  const config = configIn(folder);
  const log = openLog(config.log);
  const { clock } = venue;
  const supervision = await Supervision.openDataFolder({
    config,
    file: 'bot.yaml',
    log,
    clock,
    openSecond: null,
    account: null,
    isPaper,
  });
  if (supervision === null) throw new Error('a data folder is configured');
  // It quotes for a frame alone, not at the start of trading.
  const strategies = [aStrategy(depthQuoter())];
  const observe = supervision.onNotice.bind(supervision);
  const session = new LiveSession({ config, venue, clock: venue.clock, strategies, hasKey: true, log, observe });
  const startedAt = venue.clock.now();
  const noStatus = (): never => {
    throw new Error('no status is requested');
  };
  const facts = { profile: 'test', isPaper, hasKey: true, startedAt, params: {} };
  supervision.attachSession(session, noStatus, { facts, journalBytes: () => 7 });
  closings.push(async () => supervision.close(await session.stop('test', 20_000)));
  await session.start();
  await waitFor(() => expect(session.engine.session.phase).toBe('trading'));
  venue.changeVenue((scripted) => scripted.changeLevel(M0, 'bid', { price: cents(30), change: 100 }));
  await waitFor(() => expect(session.engine.state.orders.openCount).toBeGreaterThanOrEqual(2));
  return { venue, session, supervision, log };
}

async function askFigures(): Promise<BotFigures> {
  const [scraped] = await scrapeBots([{ bot: 'bot', path: controlPath(folder, 'control') }]);
  if (!scraped?.figures) throw new Error('the bot does not answer');
  return scraped.figures;
}

const countOf = ({ counts }: { readonly counts: readonly number[] }): number =>
  counts.reduce((sum, count) => sum + count, 0);

describe('a session', () => {
  it('answers its figures on the control socket: money, orders, latencies, the machine', async () => {
    const { session, venue } = await startSession();
    const figures = await askFigures();
    const { state } = session.engine;
    expect(figures).toMatchObject({ phase: 'trading', isReady: true, journalBytes: 7, unknownOrders: 0 });
    expect(figures.cash).toBe(state.portfolio.cash);
    const approved = figures.trades.orders.find(({ label }) => label === 'approved');
    expect(approved).toEqual({ strategy: 'maker', label: 'approved', count: session.tally.strategies()[0]?.orders });
    const { stages, inputs, journalWrites } = figures.meter;
    expect(countOf(stages.intent_to_send)).toBeGreaterThanOrEqual(2);
    expect(countOf(stages.send_to_ack)).toBe(approved?.count);
    expect(countOf(stages.frame_to_intent)).toBeGreaterThan(0);
    expect(inputs.answer).toBe(venue.requests.length);
    expect(countOf(journalWrites)).toBe(0);
    expect(figures.machine.residentBytes).toBeGreaterThan(1e6);
    expect(figures.machine.diskFreeBytes).toBeGreaterThan(0);
    expect(figures.limits.find(({ limit }) => limit === 'workingOrdersMax')?.ratio).toBe(state.orders.openCount / 40);
    expect(figures.machine.loopLag).toBeNull();
    await waitFor(async () => expect((await askFigures()).machine.loopLag).not.toBeNull());
  });

  it('that does not run has no figures, and does not hide those of another', async () => {
    await startSession();
    const dead = mkdtempSync(join(tmpdir(), 'presage-dead-'));
    const scraped = await scrapeBots([
      { bot: 'dead', path: controlPath(dead, 'control') },
      { bot: 'alive', path: controlPath(folder, 'control') },
    ]);
    expect(scraped.map(({ bot, figures }) => [bot, figures?.phase])).toEqual([
      ['dead', undefined],
      ['alive', 'trading'],
    ]);
    rmSync(dead, { recursive: true });
  });

  it('counts a halt, and names neither its reason nor a market', async () => {
    const { session } = await startSession();
    const reason = 'a reason that is no label';
    session.submitOperatorOrder({ type: 'halt', scope: { type: 'account' }, by: 'operator', reason });
    const figures = await askFigures();
    expect(figures.halts).toEqual({ account: 1, strategy: 0, market: 0 });
    expect(JSON.stringify(figures)).not.toContain(reason);
    expect(JSON.stringify(figures)).not.toContain('M-0');
  });

  it('serves them on a port, and asks for the token of a private file', async () => {
    const { supervision, log } = await startSession();
    const tokenFile = join(folder, 'scrape.token');
    writeFileSync(tokenFile, 'a-token-of-a-scrape\n', { mode: 0o644 });
    const open = () => openMetricsPort({ address: '127.0.0.1:0', config: { tokenFile }, supervision, log });
    await expect(open()).rejects.toThrow(
      /metrics.tokenFile: expected a file of mode 0600, which no other user may read/,
    );
    rmSync(tokenFile);
    writeFileSync(tokenFile, 'short\n', { mode: 0o600 });
    await expect(open()).rejects.toThrow(/expected a file with one line of at least 16 characters/);
    writeFileSync(tokenFile, 'a-token-of-a-scrape\n');
    const server = await open();
    if (server === null) throw new Error('an address is given');
    closings.push(() => server.close());
    const url = `http://127.0.0.1:${server.port}/metrics`;
    expect((await fetch(url)).status).toBe(401);
    const answer = await fetch(url, { headers: { authorization: 'Bearer a-token-of-a-scrape' } });
    expect(await answer.text()).toMatch(/^presage_up\{bot="presage-session-\w+"\} 1$/m);
  });

  it('names a paper session by the live bot, with a mark', async () => {
    const { supervision, log } = await startSession(true);
    const server = await openMetricsPort({ address: '127.0.0.1:0', config: {}, supervision, log });
    if (server === null) throw new Error('an address is given');
    closings.push(() => server.close());
    log.flush();
    // The system chose the port, so the log is the only place that names it.
    await waitFor(() => expect(readFileSync(join(folder, 'bot.log'), 'utf8')).toContain(`"port":${server.port}`));
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    // The folder of this test stands for the folder `paper` inside a bot's.
    expect(await answer.text()).toContain(`presage_up{bot="${basename(dirname(folder))} (paper)"} 1`);
  });

  it('refuses a port without a data folder, or at something that is no address', async () => {
    const given = { config: {}, supervision: null, log: openLog(configIn(folder).log) };
    expect(await openMetricsPort({ ...given, address: undefined })).toBeNull();
    await expect(openMetricsPort({ ...given, address: '127.0.0.1:0' })).rejects.toThrow(
      '--metrics: expected dataFolder in the config, found none',
    );
    await expect(openMetricsPort({ ...given, config: { listen: 'here' }, address: undefined })).rejects.toThrow(
      'metrics.listen: expected an address and a port, such as 127.0.0.1:9464, found "here"',
    );
  });

  it('names the option or the place of the config whose port another process has', async () => {
    const { supervision, log } = await startSession();
    const first = await openMetricsPort({ address: '127.0.0.1:0', config: {}, supervision, log });
    if (first === null) throw new Error('an address is given');
    closings.push(() => first.close());
    const address = `127.0.0.1:${first.port}`;
    const taken = `${address} cannot be opened: another process listens there; --metrics gives this session another address`;
    await expect(openMetricsPort({ address, config: {}, supervision, log })).rejects.toThrow(`--metrics: ${taken}`);
    await expect(
      openMetricsPort({ address: undefined, config: { listen: address }, supervision, log }),
    ).rejects.toThrow(`metrics.listen: ${taken}`);
  });

  it('opens its log again when asked on the control socket', async () => {
    const { log } = await startSession();
    const file = join(folder, 'bot.log');
    log.flush();
    await waitFor(() => expect(existsSync(file)).toBe(true));
    renameSync(file, `${file}.moved`);
    const result = await sendControlRequest(controlPath(folder, 'control'), { type: 'log-reopen' }, WITHIN);
    expect(result).toEqual({ type: 'answered', reply: { type: 'reopened', file } });
    expect(existsSync(file)).toBe(true);
  });

  it.runIf(existsSync('/dev/full'))('trades on when its log is on a full disk', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const lost = openLog({ level: 'trace', file: '/dev/full' });
      const venue = new LiveVenue(1);
      const config = configIn(folder);
      const session = new LiveSession({
        config,
        venue,
        clock: venue.clock,
        strategies: [aStrategy(quoter())],
        hasKey: true,
        log: lost,
      });
      closings.push(() => session.stop('test', 20_000));
      await session.start();
      await waitFor(() => expect(stderr.mock.calls.length).toBe(1));
      await waitFor(() => expect(session.engine.session.phase).toBe('trading'));
      venue.changeVenue((scripted) => scripted.changeLevel(M0, 'bid', { price: cents(45), change: 100 }));
      await waitFor(() => expect(session.engine.state.orders.openCount).toBeGreaterThanOrEqual(2));
    } finally {
      stderr.mockRestore();
    }
  });
});
