// Watches a simulation and checks every invariant. It sees the exchange's facts, the network traffic, and the bot's
// state; it never sends the bot anything.
import { must } from '../../../src/base/assert.ts';
import type { Command } from '../../../src/domain/venue-command.ts';
import type { ClientOrderId } from '../../../src/domain/ids.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import type { ExchangeReader } from '../../../src/exchange/machine/exchange-interface.ts';
import type { Op } from '../../../src/exchange/machine/exchange-input.ts';
import type { StepResult } from '../../../src/exchange/machine/exchange-output.ts';
import type { HttpRequest } from '../../../src/transport/http-client.ts';
import type { WireProfile } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import type { JournaledOrder } from '../bot/bot-journal.ts';
import { BookCheck } from './book-check.ts';
import { type Bot, type BotWatcher, orderIdsOf } from '../bot/bot.ts';
import { botConfig } from '../bot/bot-config.ts';
import { ExposureCheck } from './exposure-check.ts';
import type { FeedConnection } from '../network/feed-link.ts';
import { HaltCheck } from './halt-check.ts';
import { ACCOUNT } from '../scenario.ts';
import type { Reply } from '../simulated-exchange.ts';
import { Truth } from './truth.ts';
import type { Trace } from '../trace.ts';
import { Verdict } from './verdict.ts';

export interface OracleOptions {
  /** Wire profile in use. */
  readonly profile: WireProfile;
  readonly trace: Trace;
  /** Milliseconds since the simulation began. */
  readonly now: () => number;
  /** True when trouble at this moment may cause refusals for rate. */
  readonly excusesRate: () => boolean;
  /** Called when a bot can only be stopped. */
  readonly onDoomed: (bot: Bot) => void;
}

/** Reason given when a lookup does not find an order. */
const ABSENT = 'the venue knows no such order';

/** The judge of one simulation. */
export class Oracle implements BotWatcher {
  readonly verdict: Verdict;
  readonly truth: Truth;
  readonly exposure: ExposureCheck;
  readonly books: BookCheck;
  /** Every order that was journaled before it left. Never removed. */
  readonly written = new Map<string, JournaledOrder>();
  readonly halt: HaltCheck;
  readonly #options: OracleOptions;
  /** Orders that the bot reported as never sent, or as rejected. Never removed. */
  readonly #reportedGone = new Map<string, string>();
  /** Orders whose strategies requested a cancel. Never removed. */
  readonly #cancelWanted = new Set<ClientOrderId>();
  /** Number of times each order left. Never removed. */
  readonly #sent = new Map<string, number>();
  #bot: Bot | null = null;
  readonly counts = {
    denied: 0,
    approved: 0,
    amends: 0,
    requests: 0,
    /** Orders that left in a batch. */
    batched: 0,
    alarms: 0,
    comparisons: 0,
    doubted: 0,
  };

  constructor(options: OracleOptions) {
    this.#options = options;
    this.verdict = new Verdict(options.now);
    this.truth = new Truth(this.verdict);
    this.exposure = new ExposureCheck(must(botConfig([{ name: 'any', params: {} }]).limits, 'limits'), this.verdict);
    this.books = new BookCheck(this.verdict, options.profile.feed);
    this.halt = new HaltCheck(options.now, this.verdict);
  }

  /** Sets the bot that is alive now. */
  watchBot(bot: Bot | null): void {
    this.#bot = bot;
  }

  readonly onOp = (op: Op): void => {
    if (op.type !== 'place' || op.account !== ACCOUNT) return;
    const { clientOrderId } = op.order;
    const isWritten = clientOrderId !== null && this.written.has(clientOrderId);
    this.verdict.require(isWritten, 'I2', () => `${clientOrderId} was never journaled`);
    const gone = this.#reportedGone.get(clientOrderId ?? '');
    this.verdict.require(gone === undefined, 'I8', () => `${clientOrderId} was reported ${gone}, and now it arrives`);
  };

  readonly onStep = (result: StepResult, exchange: ExchangeReader): void => {
    if (!this.truth.applyStep(result, exchange)) return;
    for (const fact of result.facts)
      if ('account' in fact && fact.account === ACCOUNT) this.#options.trace.recordEvent('fact', JSON.stringify(fact));
    this.exposure.check(exchange);
  };

  onUp(connection: FeedConnection): void {
    this.books.onUp(connection);
  }

  onDown(connection: FeedConnection): void {
    this.books.onDown(connection);
  }

  onFrame(connection: FeedConnection, text: string): void {
    this.books.onFrame(connection, text);
  }

  onRequest(request: HttpRequest): void {
    this.counts.requests += 1;
    const names = orderIdsOf(this.#options.profile, request);
    if (names.length > 1) this.counts.batched += names.length;
    for (const name of names) this.#checkSent(name);
  }

  #checkSent(name: ClientOrderId): void {
    const times = (this.#sent.get(name) ?? 0) + 1;
    this.#sent.set(name, times);
    const most = this.written.get(name)?.times ?? 0;
    this.halt.checkOrder(name);
    this.verdict.require(times <= most, 'I2', () => `${name} left ${times} times, but was journaled ${most} times`);
  }

  onAnswer(request: HttpRequest, { status, struck }: Reply): void {
    this.#options.trace.addCount(`answer ${status}`);
    if (status !== 429 || struck.includes('too-many-requests') || this.#options.excusesRate()) return;
    this.verdict.fail('I7', `${request.method} ${request.path} was refused for rate`);
  }

  readonly onCancelWanted = (id: ClientOrderId): void => void this.#cancelWanted.add(id);

  readonly onCommands = (commands: readonly Command[]): void => {
    // An amend, too, makes an order that the market has not seen.
    const places = commands.filter((command) => command.type === 'place' || command.type === 'amend');
    this.counts.amends += places.filter(({ type }) => type === 'amend').length;
    for (const { clientOrderId: id } of places)
      this.verdict.require(!this.#cancelWanted.has(id), 'I2', () => `${id} leaves after its strategy canceled it`);
    // A cancel in place of an amend that waited too long leaves last, and may use the reserve.
    if (places.length > 0 && commands.at(-1)?.type !== 'cancel') this.#requireReserve();
    if (!places.some(({ lane }) => lane === 'new')) return;
    const isWaiting = this.#bot?.session.engine.planner.isWaiting((command) => command.type === 'cancel') ?? false;
    this.verdict.require(!isWaiting, 'I7', () => 'a new order left while a cancel was waiting');
  };

  /** Checks that the budget reserved for cancels is untouched, whatever left. */
  #requireReserve(): void {
    const engine = this.#bot?.session.engine;
    if (engine === undefined) return;
    const { now } = engine.state;
    const { trade } = engine.planner.budgets;
    const reserve = trade.capacity - engine.planner.roomNow('trade', now).capacity;
    const left = trade.peekAvailable(now);
    this.verdict.require(
      left >= reserve,
      'I7',
      () => `an order left ${left} units of the trade budget, ${reserve} are reserved for cancels`,
    );
  }

  onNotice(bot: Bot, notice: Notice): void {
    if (!bot.isAlive) return;
    this.#options.trace.recordEvent('notice', textOf(notice));
    if (notice.type === 'approved' && notice.intent.type !== 'timer') {
      this.counts.approved += 1;
      const privateFault = bot.session.engine.state.feed.privateFault;
      this.verdict.require(
        privateFault === null,
        'I5',
        () => `an order was approved while the private feed is down: ${privateFault}`,
      );
      if ('market' in notice.intent && notice.intent.market !== undefined)
        this.books.checkOrder(bot.session.engine, notice.intent.market);
    }
    if (notice.type === 'denied') {
      this.counts.denied += 1;
      this.#options.trace.addCount(`denied: ${notice.denial.code}`);
    }
    if (notice.type === 'alarm') this.counts.alarms += 1;
    if (notice.type === 'order') {
      this.#checkEnding(notice.order.clientOrderId, notice.to);
      if (notice.to === 'unknown' && notice.why === ABSENT) this.#checkAbsence(notice.order.clientOrderId);
    }
  }

  /**
   * Checks that the bot reports no order as ended that the exchange has, or will yet receive: only the exchange ends an
   * order.
   */
  #checkEnding(name: string, state: string): void {
    if (state !== 'rejected' && state !== 'not-sent') return;
    this.#reportedGone.set(name, state);
    this.verdict.require(
      !this.truth.hasOrder(name),
      'I8',
      () => `${name} is reported ${state}, and the exchange has it`,
    );
  }

  /** Checks that no resting order is made unknown for its absence in reads, however late the exchange's reads are. */
  #checkAbsence(name: string): void {
    this.counts.doubted += 1;
    this.verdict.require(
      !this.truth.isResting(name),
      'I8',
      () => `${name} is unknown for its absence in a read, but it rests`,
    );
  }

  onUnusable(bot: Bot): void {
    this.#options.onDoomed(bot);
  }

  /** Compares the bot's cash and positions with the ledger; to be called when nothing is in flight. */
  compareMoney(bot: Bot, exchange: ExchangeReader, why: string): void {
    this.counts.comparisons += 1;
    const { state } = bot.session.engine;
    const cash = exchange.balance(ACCOUNT)?.cash;
    this.verdict.require(
      state.portfolio.cash === cash,
      'I1',
      () => `${why}: cash is ${state.portfolio.cash}, the ledger has ${cash}`,
    );
    for (const { ticker, qty } of exchange.positions(ACCOUNT)) {
      const index = state.tickers.indexOf(ticker);
      const ours = index === undefined ? 0 : state.portfolio.position(index).qty;
      this.verdict.require(ours === qty, 'I1', () => `${why}: ${ours} of ${ticker}, the ledger has ${qty}`);
    }
  }
}

const textOf = (notice: Notice): string => {
  switch (notice.type) {
    case 'order':
      return `order ${notice.order.clientOrderId} ${notice.from} → ${notice.to}: ${notice.why}`;
    case 'fill':
      return `fill ${notice.fill.tradeId} ${notice.fill.side} ${notice.fill.qty} at ${notice.fill.price}`;
    case 'denied':
      return `denied ${JSON.stringify(notice.denial)}`;
    case 'approved':
      return `approved ${notice.clientOrderId} ${JSON.stringify(notice.intent)}`;
    case 'market':
      return `market ${notice.market.ticker} ${notice.before} → ${notice.market.status}`;
    default:
      return JSON.stringify(notice);
  }
};
