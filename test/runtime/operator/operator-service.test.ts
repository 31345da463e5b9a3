// Operator orders in a running session: the reply comes when the order is done, or says what is left.
import { describe, expect, it, vi } from 'vitest';
import { type BotConfig, botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import { ticker } from '../../../src/domain/ids.ts';
import type { OperatorOrder } from '../../../src/domain/operator-order.ts';
import { cents } from '../../../src/domain/units.ts';
import { limitsExample } from '../../../src/config/limit-fields.ts';
import { logTo } from '../../../src/log.ts';
import type { OrderReply } from '../../../src/runtime/operator/control-messages.ts';
import { LiveSession } from '../../../src/runtime/session/live-session.ts';
import { OperatorService } from '../../../src/runtime/operator/operator-service.ts';
import { systemScheduler } from '../../../src/transport/scheduler.ts';
import { M0 } from '../../support/engine/builders.ts';
import { aStrategy, quoter } from '../../support/engine/engine-harness.ts';
import { LiveVenue } from '../../support/sessions/live-venue.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const CONFIG: BotConfig = parseYaml(
  `venue: { url: http://localhost }\nmarkets: { events: [EVENT] }\n${limitsExample()}\nlog: { file: a.log }\n`,
  { file: 'bot.yaml', schema: botConfigSchema },
);
const ACCOUNT = { type: 'account' } as const;
const HALT = { type: 'halt', scope: ACCOUNT, by: 'operator', reason: 'odd' } as const;
/** Longer than a test may take. */
const WITHIN_MS = 600_000;

class Bench {
  readonly venue = new LiveVenue();
  readonly session: LiveSession;
  readonly service: OperatorService;

  constructor() {
    this.session = new LiveSession({
      config: CONFIG,
      venue: this.venue,
      clock: this.venue.clock,
      strategies: [aStrategy(quoter())],
      hasKey: true,
      log: logTo({ write: () => undefined }, 'silent'),
      observe: (notice) => this.service.onNotice(notice),
    });
    this.service = new OperatorService({
      session: this.session,
      scheduler: systemScheduler,
      statusReport: () => ({ phase: this.session.engine.session.phase }),
    });
  }

  async quoting(): Promise<this> {
    await this.session.start();
    await waitFor(() => expect(this.session.engine.session.phase).toBe('trading'));
    this.touch();
    await waitFor(() => expect(this.venue.scripted.resting()).toHaveLength(2));
    return this;
  }

  touch(): void {
    this.venue.changeVenue((venue) => venue.changeLevel(M0, 'bid', { price: cents(45), change: 100 }));
  }

  async order(order: OperatorOrder, withinMs = WITHIN_MS): Promise<OrderReply> {
    const reply = await this.service.answerRequest({ type: 'order', order, withinMs });
    if (reply.type !== 'done') throw new Error(`answered ${reply.type}`);
    return reply.report;
  }
}

const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 2 });

describe('an order at the edge of a session', () => {
  it.each([{ type: 'flatten', reason: 'odd' }, { type: 'resume', scope: ACCOUNT, reason: 'odd' }, HALT] as const)(
    '$type is refused after a fault, when nothing is carried out any more',
    async (order) => {
      const bench = await new Bench().quoting();
      bench.session.failWith(new Error('the disk is full'));
      const reply = await bench.service.answerRequest({ type: 'order', order, withinMs: 0 });
      expect(reply).toEqual({ type: 'refused', why: 'the session ends after a fault' });
      await bench.session.stop('test', WITHIN_MS);
    },
  );

  it('a flatten goes on until the positions have been read, for none is known before', async () => {
    const bench = new Bench();
    bench.venue.isUnanswered = ({ type }) => type === 'read';
    await bench.session.start();
    const plan = await bench.service.answerRequest({ type: 'preview-flatten' });
    expect(plan).toEqual({ type: 'refused', why: 'the positions are still being read' });
    const report = await bench.order({ type: 'flatten', reason: 'odd' }, 500);
    expect(report.isDone).toBe(false);
    expect(report.remarks).toEqual(['the positions are still being read: they are closed after that']);
    await bench.session.stop('test', 0);
  });
});

describe('a fault while an order is carried out', () => {
  it('ends the wait with a refusal: nothing is carried out any more', async () => {
    const bench = await new Bench().quoting();
    bench.venue.isUnanswered = ({ type }) => type === 'cancel';
    const replying = bench.service.answerRequest({ type: 'order', order: HALT, withinMs: WITHIN_MS });
    bench.session.failWith(new Error('the disk is full'));
    expect(await replying).toEqual({ type: 'refused', why: 'the session ends after a fault' });
    await bench.session.stop('test', 0);
  });
});

describe('an order for a market', () => {
  it('a halt of a market that the session has never seen is answered with a warning: it may be a typing error', async () => {
    const bench = await new Bench().quoting();
    const halt = (name: string) => bench.order({ ...HALT, scope: { type: 'market', ticker: ticker(name) } });
    expect((await halt('M-O')).remarks).toEqual(['the bot has not seen a market M-O: check the spelling']);
    expect((await halt(bench.session.engine.state.tickers.tickerOf(M0))).remarks).toEqual([]);
    await bench.session.stop('test', WITHIN_MS);
  });
});

describe('an order of the operator', () => {
  it('an order to halt is done when nothing rests, and its reply lists the halts', async () => {
    const bench = await new Bench().quoting();
    const report = await bench.order(HALT);
    expect(report).toEqual({ isDone: true, withdrawn: 2, left: [], halts: ['account by operator: odd'], remarks: [] });
    expect(bench.venue.scripted.resting()).toEqual([]);
    expect(await bench.order({ type: 'resume', scope: ACCOUNT, reason: 'fine' })).toMatchObject({ halts: [] });
    await bench.session.stop('test', WITHIN_MS);
  });

  it('an order that was filled before its cancel arrived is not counted as canceled', async () => {
    const bench = await new Bench().quoting();
    bench.venue.isUnanswered = ({ type }) => type === 'cancel';
    const halting = bench.order(HALT);
    bench.venue.changeVenue((venue) => {
      for (const order of venue.resting()) venue.tradeOrder(order, order.leaves);
    });
    expect(await halting).toMatchObject({ isDone: true, withdrawn: 0, left: [] });
    bench.venue.isUnanswered = () => false;
    await bench.session.stop('test', 50);
  });

  it('an order to halt that is not done in time is answered with the orders that may rest', async () => {
    const bench = await new Bench().quoting();
    bench.venue.isUnanswered = ({ type }) => type === 'cancel';
    const report = await bench.order(HALT, 50);
    expect(report.isDone).toBe(false);
    expect(report).toMatchObject({ withdrawn: 0, left: [{}, {}] });
    expect(report.left[0]).toMatchObject({ ticker: 'M-0', state: 'pending-cancel' });
    bench.venue.isUnanswered = () => false;
    await bench.session.stop('test', 50);
  });

  it('an order to cancel everything is done when the orders of that time are gone, whatever is quoted since', async () => {
    const bench = await new Bench().quoting();
    const before = bench.venue.scripted.resting().map(({ report }) => report.venueOrderId);
    const asked = bench.order({ type: 'cancel-all', scope: ACCOUNT, reason: 'test' });
    bench.touch();
    expect(await asked).toMatchObject({ isDone: true, left: [] });
    expect(bench.venue.scripted.resting().filter(({ report }) => before.includes(report.venueOrderId))).toEqual([]);
    await bench.session.stop('test', WITHIN_MS);
  });

  it('an order to override a limit is answered with the decision of risk', async () => {
    const bench = await new Bench().quoting();
    const until = bench.session.clock.now();
    const override = { limit: 'nonsense', value: 5, strategy: null, until, reason: 'test' };
    const report = await bench.order({ type: 'override', override });
    expect(report.isDone).toBe(false);
    expect(report.remarks).toHaveLength(1);
    await bench.session.stop('test', WITHIN_MS);
  });

  it('an order is refused once the session has ended', async () => {
    const bench = await new Bench().quoting();
    await bench.session.stop('test', WITHIN_MS);
    const reply = await bench.service.answerRequest({ type: 'order', order: HALT, withinMs: 10 });
    expect(reply).toEqual({ type: 'refused', why: 'the session has ended' });
    expect(await bench.service.answerRequest({ type: 'status' })).toEqual({
      type: 'status',
      status: { phase: 'stopped' },
    });
  });
});
