// A paper session has a real feed and public reads, and a simulated account. Nothing of ours reaches the venue, and the
// events of the account replay without the simulated venue.
import { describe, expect, it, vi } from 'vitest';
import { type BotConfig, botConfigSchema } from '../../../src/config/bot-config.ts';
import { limitsExample } from '../../../src/config/limit-fields.ts';
import { simulationSchema } from '../../../src/config/simulation-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { seriesTicker, tradeId } from '../../../src/domain/ids.ts';
import { cents, contracts, dollars, micros } from '../../../src/domain/units.ts';
import { logTo } from '../../../src/log.ts';
import { LiveSession } from '../../../src/runtime/session/live-session.ts';
import { PaperNormalizer, privateEventsFrame } from '../../../src/runtime/paper/paper-normalizer.ts';
import { PaperVenue } from '../../../src/runtime/paper/paper-venue.ts';
import { systemScheduler } from '../../../src/transport/scheduler.ts';
import { latencyModel } from '../../../src/venues/simulated/models/latency-models.ts';
import { openSimulator } from '../../../src/venues/simulated/open-simulator.ts';
import { M0, aPlace } from '../../support/engine/builders.ts';
import { aStrategy, quoter } from '../../support/engine/engine-harness.ts';
import { LiveVenue } from '../../support/sessions/live-venue.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const CONFIG: BotConfig = parseYaml(
  `venue: { url: http://localhost }\nmarkets: { events: [EVENT] }\n${limitsExample()}\nlog: { file: a.log }\n`,
  { file: 'bot.yaml', schema: botConfigSchema },
);
const FAST = { model: 'constant', delay: '1ms' } as const;
const SIMULATION = simulationSchema.parse({ latency: { order: FAST, answer: FAST } });
const SERIES = seriesTicker('SERIES');
/** Longer than a test may take. */
const WITHIN_MS = 600_000;
const PUBLIC_READS = ['status', 'markets', 'event', 'events', 'series', 'book', 'market'];

class Desk {
  readonly real = new LiveVenue();
  readonly venue: PaperVenue;
  readonly session: LiveSession;

  constructor() {
    const { tickers, capabilities, clock } = this.real;
    this.venue = new PaperVenue({
      venue: this.real,
      simulate: (sink) => openSimulator({ config: SIMULATION, tickers, capabilities, openingCash: dollars(100), sink }),
      latency: latencyModel(SIMULATION.latency),
      draw: () => 0.5,
      clock,
      scheduler: systemScheduler,
    });
    const log = logTo({ write: () => undefined }, 'silent');
    const strategies = [aStrategy(quoter())];
    this.session = new LiveSession({ config: CONFIG, venue: this.venue, clock, strategies, hasKey: true, log });
  }

  async quoting(): Promise<this> {
    await this.session.start();
    await waitFor(() => expect(this.session.engine.session.phase).toBe('trading'));
    this.real.changeVenue((venue) => venue.changeLevel(M0, 'bid', { price: cents(45), change: 100 }));
    await waitFor(() => expect(this.working()).toHaveLength(2));
    return this;
  }

  working() {
    return this.session.engine.state.orders.allOpen().filter(({ state }) => state === 'working');
  }

  /** A print at a price on the real feed: a trade of others. */
  print(price: number, count: number): void {
    this.real.changeVenue((venue) =>
      venue.emitEvent({
        kind: 'print',
        exchangeAt: null,
        market: M0,
        tradeId: tradeId('theirs'),
        side: 'buy',
        price: cents(price),
        qty: contracts(count),
      }),
    );
  }
}

const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 2 });

describe('a paper session', () => {
  it('quotes, trades when the real feed prints through its price, and ends reconciled', async () => {
    const desk = await new Desk().quoting();
    const ask = Math.min(...desk.working().flatMap(({ side, price }) => (side === 'sell' ? [price] : []))) / 100;
    desk.print(ask + 1, 3);
    const { portfolio } = desk.session.engine.state;
    await waitFor(() => expect(portfolio.position(M0).qty).toBe(-300));
    expect(desk.venue.simulated.account.positionOf(M0)).toBe(-300);
    expect(portfolio.cash).toBe(desk.venue.simulated.account.cash);
    const end = await desk.session.stop('test', WITHIN_MS);
    expect(end).toMatchObject({ type: 'stopped', isReconciled: true });
    expect(desk.venue.simulated.account.available).toBe(desk.venue.simulated.account.cash);
  });

  it('charges the predicted fee after a scheduled change of fees', async () => {
    const desk = await new Desk().quoting();
    const { portfolio } = desk.session.engine.state;
    const { simulated } = desk.venue;
    const terms = { feeType: 'quadratic_with_maker_fees', feeMultiplierPercent: 100 };
    const names = { title: 'Series', category: 'test', frequency: 'once' };
    const plan = (feeMultiplierPercent: number): void =>
      desk.real.changeVenue((venue) => {
        venue.emitEvent({ kind: 'series', series: { ticker: SERIES, ...names, ...terms } });
        const changes = [{ at: desk.real.clock.now(), terms: { ...terms, feeMultiplierPercent } }];
        venue.emitEvent({ kind: 'fees-scheduled', seriesTicker: SERIES, changes });
      });
    const charged: number[] = [];
    for (const multiplier of [100, 500]) {
      plan(multiplier);
      const before = portfolio.position(M0).qty;
      await waitFor(() => expect(desk.working()).toHaveLength(2));
      desk.print(
        Math.min(...desk.working().flatMap(({ side, price }) => (side === 'sell' ? [price] : []))) / 100 + 1,
        3,
      );
      await waitFor(() => expect(portfolio.position(M0).qty).toBeLessThan(before));
      charged.push(simulated.account.fills.at(-1)?.fee ?? 0);
    }
    const { fills, charged: all, expected } = desk.session.engine.risk.feesChecked;
    expect(fills).toBe(simulated.account.fills.length);
    expect(all).toBe(expected);
    expect(charged[1]).toBeGreaterThan(2 * charged[0]!);
    await desk.session.stop('test', WITHIN_MS);
  });

  it('sends the real venue public requests only', async () => {
    const desk = await new Desk().quoting();
    await desk.session.stop('test', WITHIN_MS);
    const asked = desk.real.requests.map((command) => (command.type === 'read' ? command.target.what : command.type));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((what) => !PUBLIC_READS.includes(what))).toEqual([]);
    expect(desk.real.scripted.resting()).toEqual([]);
    expect(desk.real.stops).toEqual({ feed: 1, gateway: 1 });
  });
});

describe('private events of a simulated account', () => {
  it('private events are restored from a frame unchanged, with the frame’s time and without the simulated venue', () => {
    const told: EngineEvent[] = [];
    const news = { kind: 'feed-channel', channel: 'fills', isUp: true, reason: 'simulated' } as const;
    const inner = new LiveVenue().normalizer;
    new PaperNormalizer(inner).normalize({ type: 'frame', at: micros(5), bytes: privateEventsFrame([news]) }, (event) =>
      told.push(event),
    );
    expect(told).toEqual([{ ...news, at: 5 }]);
  });
});

describe('a batch on paper', () => {
  it('is refused as a whole when the simulated venue has no room for it', async () => {
    const real = new LiveVenue();
    const { tickers, clock } = real;
    const trade = { model: 'rolling-window', count: 3, windowMs: 60_000 } as const;
    const capabilities = { ...real.capabilities, limits: { ...real.capabilities.limits, trade } };
    const venue = new PaperVenue({
      venue: real,
      simulate: (sink) => openSimulator({ config: SIMULATION, tickers, capabilities, openingCash: dollars(100), sink }),
      latency: latencyModel(SIMULATION.latency),
      draw: () => 0.5,
      clock,
      scheduler: systemScheduler,
    });
    const send = (...ids: readonly number[]) =>
      venue.gateway.sendBatch?.(
        { type: 'batch', commands: ids.map((id) => aPlace({ id })) },
        new AbortController().signal,
      );
    expect(await send(1, 2)).toMatchObject({ refusal: null, answers: [{ outcome: { status: 200 } }, {}] });
    expect(await send(3, 4)).toMatchObject({
      refusal: { cause: 'rate' },
      answers: [{ outcome: { status: 429 } }, { outcome: { status: 429 } }],
    });
    const single = await venue.gateway.send(aPlace({ id: 5 }), new AbortController().signal);
    expect(single).toMatchObject({ outcome: { status: 200 } });
    await venue.gateway.stop();
  });
});
