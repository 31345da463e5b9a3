// A made-up bot of the demo console: its live frames, its answers, and controls that go through their states.
import type { Action, BotRow, MarketRow, MarketsPage } from '../../../src/console/api/api-schemas.ts';
import type { LiveEvent, LiveSessionPart } from '../../../src/runtime/follow/follow-messages.ts';
import { DemoMarkets, MINUTE_US } from './demo-markets.ts';
import { PAST_DAYS, PAST_POSITIONS, PAST_SESSIONS, demoPast, pageOf, pastOrders, pastPage } from './demo-past.ts';
import { demoEvents, demoRow, demoSession, otherBots } from './demo-session.ts';
import { demoChain, demoWhy } from './demo-why.ts';

/** Texts that come from outside: the venue, strategies, people. */
export interface DemoTexts {
  readonly title: string;
  readonly strategyReason: string;
  readonly haltReason: string;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

type Answer =
  | { readonly status: number; readonly body: unknown }
  | { readonly status: number; readonly problem: string }
  | null;

/** Steps of a control; one is taken at each question for its state. */
const STATES = ['latched', 'heard', 'canceling', 'confirmed'] as const;
const ROWS_PER_STEP = 20;

export class DemoBot {
  readonly markets: DemoMarkets;
  step = 0;
  halts: LiveSessionPart['halts'] = [];
  /** Reasons that were given after a halt. */
  readonly reasons: string[] = [];
  /** True for a paper session. */
  isPaper = false;
  isExchangeTrading = true;
  /** Orders without an end: more than the console gives where a request names no limit. */
  pastOrders = pastOrders(250);
  pastSessions = PAST_SESSIONS;
  /** Remarks of the session on its exchange. */
  remarks: string[] = [];
  /** False before the account has been read. */
  isAccountOpen = true;
  /** Texts with which controls are refused, by their kind. */
  readonly refusals = new Map<string, string>();
  /** Bodies of the controls that were received, by path. */
  readonly received: { readonly path: string; readonly body: unknown }[] = [];
  readonly #actions = new Map<string, Action>();
  readonly #events: LiveEvent[];
  readonly #texts: DemoTexts;
  readonly startUs = Date.now() * 1000;

  constructor(marketCount: number, texts: Partial<DemoTexts> = {}) {
    this.#texts = {
      title: 'Rain in Oslo before midnight',
      strategyReason: 'mid 44.5, edge 1.5: quotes 43/46',
      haltReason: 'quotes looked odd after the release',
      ...texts,
    };
    this.markets = new DemoMarkets(marketCount, this.startUs, this.#texts.title);
    this.#events = demoEvents(this.startUs, this.#texts.haltReason);
  }

  get nowUs(): number {
    return Date.now() * 1000;
  }

  /** Begin of the session. */
  get #beganUs(): number {
    return this.startUs - 300 * MINUTE_US;
  }

  /** Forgets the oldest events, as a busy session does. */
  forgetEvents(count: number): void {
    this.#events.splice(0, count);
  }

  moveOn(): void {
    this.step++;
    const count = Math.min(this.markets.rows.length, this.markets.rows.length > 1000 ? 500 : ROWS_PER_STEP);
    this.markets.moveMarkets(count, this.nowUs);
    if (this.halts.length > 0) this.markets.cancelOrders(this.nowUs);
  }

  #session(): LiveSessionPart {
    const { step, halts, nowUs } = this;
    const working = [...this.markets.orders.values()].filter(({ isOpen }) => isOpen).length;
    const figures = { nowUs, step, halts, working, marketCount: this.markets.rows.length };
    const session = demoSession({ ...figures, reason: this.#texts.strategyReason });
    const account = { ...session.account, isOpen: this.isAccountOpen };
    return { ...session, account, isExchangeTrading: this.isExchangeTrading, remarks: this.remarks };
  }

  rows(): BotRow[] {
    return [demoRow(this.#session(), this.nowUs), ...otherBots(this.nowUs, this.#texts.haltReason)];
  }

  beat(): unknown {
    return { type: 'beat', seq: this.step, atUs: this.nowUs, loopLateMs: 0.4 };
  }

  gone(isStopped = false): unknown {
    const lastSeenUs = this.nowUs - 3_000_000;
    const process = isStopped
      ? {
          state: 'stopped',
          pid: null,
          lastSeenUs,
          watchdog: 'absent',
          strike: null,
          ended: { isOrderly: true, text: 'in order', atUs: lastSeenUs },
        }
      : { state: 'dead', pid: null, lastSeenUs, watchdog: 'running', strike: null, ended: null };
    return { atUs: this.nowUs, process, isPaper: this.isPaper };
  }

  /** The frames of a view. */
  frames(query: URLSearchParams, isFirst: boolean): { event: string; data: unknown }[] {
    const { nowUs, step: seq } = this;
    const frames: { event: string; data: unknown }[] = [];
    if (isFirst) frames.push({ event: 'hello', data: this.#hello() });
    frames.push({ event: 'session', data: { type: 'session', seq, atUs: nowUs, session: this.#session() } });
    switch (query.get('view')) {
      case 'markets':
        frames.push({ event: 'marketsPage', data: this.marketsPage(query) });
        break;
      case 'market': {
        const market = this.markets.detailOf(query.get('market') ?? '', nowUs);
        if (market) frames.push({ event: 'detail', data: { type: 'detail', seq, atUs: nowUs, market } });
        break;
      }
      case 'orders':
        frames.push({
          event: 'orders',
          data: { type: 'orders', seq, isSnapshot: isFirst, orders: [...this.markets.orders.values()].slice(-300) },
        });
        break;
      case 'events':
        if (isFirst) frames.push({ event: 'events', data: { type: 'events', seq, events: this.#events } });
        break;
      default:
        break;
    }
    return frames;
  }

  #hello(): unknown {
    return {
      type: 'hello',
      seq: 1,
      version: 1,
      bot: 'demo',
      session: '20261123-110000',
      pid: 4242,
      program: 'presage 0.1.0',
      profile: 'demo',
      isPaper: this.isPaper,
      hasKey: true,
      startedUs: this.#beganUs,
      atUs: this.nowUs,
    };
  }

  /** A window of the table, sorted and filtered as the console does. */
  marketsPage(query: URLSearchParams): MarketsPage {
    const text = (query.get('q') ?? '').toLowerCase();
    const isOurs = (row: MarketRow): boolean => row.position !== 0 || row.ownBid !== null || row.ownAsk !== null;
    const rows = this.markets.rows.filter(
      (row) =>
        (query.get('ours') !== 'true' || isOurs(row)) && `${row.ticker} ${row.title}`.toLowerCase().includes(text),
    );
    const sort = query.get('sort') ?? 'ours';
    if (sort === 'ours') rows.sort((a, b) => Number(isOurs(b)) - Number(isOurs(a)));
    if (sort === 'ticker') rows.sort((a, b) => (a.ticker < b.ticker ? -1 : 1));
    if (sort === 'bid') rows.sort((a, b) => (b.bid ?? -1) - (a.bid ?? -1));
    if (sort === 'position') rows.sort((a, b) => Math.abs(b.position) - Math.abs(a.position));
    const from = Number(query.get('from') ?? 0);
    return { total: rows.length, from, rows: rows.slice(from, Number(query.get('to') ?? 100)), asOfUs: this.nowUs };
  }

  /** Answers a request to the API; `null` when there is no such path. */
  answer({ method, path, query, body }: Request): Answer {
    if (method !== 'GET') return this.#answerControl(method, path, body);
    if (path === '') return { status: 200, body: this.rows()[0] };
    if (path === '/markets') return { status: 200, body: this.marketsPage(query) };
    const chart = /^\/markets\/([^/]+)\/chart$/.exec(path);
    if (chart) {
      const ticker = decodeURIComponent(chart[1] ?? '');
      return { status: 200, body: this.markets.chartOf(ticker, Number(query.get('from')), Number(query.get('to'))) };
    }
    const action = this.#actions.get(/^\/actions\/(.+)$/.exec(path)?.[1] ?? '');
    if (action) return { status: 200, body: this.#advance(action) };
    const order = /^\/why\/order\/(.+)$/.exec(path)?.[1];
    if (order !== undefined) return { status: 200, body: demoChain(decodeURIComponent(order), this.startUs) };
    if (path === '/history/alarms') {
      const earlier = demoPast(this.#beganUs, this.#texts.haltReason);
      return { status: 200, body: pastPage(earlier, query) };
    }
    if (path === '/history/positions') return { status: 200, body: { rows: PAST_POSITIONS, next: null } };
    if (path === '/history/orders') return { status: 200, body: pageOf(this.pastOrders, query) };
    if (path === '/history/sessions') return { status: 200, body: pageOf(this.pastSessions, query) };
    if (path === '/history/pnl') return { status: 200, body: { rows: PAST_DAYS, next: null } };
    if (path === '/why') {
      const [ticker, atUs] = [query.get('market') ?? '', Date.parse(query.get('at') ?? '') * 1000];
      return { status: 200, body: demoWhy({ ticker, atUs, strategy: query.get('strategy') ?? 'quoter', text: '' }) };
    }
    return null;
  }

  #answerControl(method: string, path: string, body: unknown): Answer {
    const given = body as { scope?: string; actionId?: string; reason?: string; typed?: string } | null;
    this.received.push({ path, body });
    if (path === '/flatten/preview') return { status: 200, body: this.#preview() };
    if (method === 'PATCH') {
      this.reasons.push(given?.reason ?? '');
      return { status: 200, body: this.#actions.get(path.slice('/actions/'.length)) ?? null };
    }
    const kind = (
      {
        '/halt': 'halt',
        '/resume': 'resume',
        '/cancel-all': 'cancel-all',
        '/flatten': 'flatten',
        '/overrides': 'override',
      } as const
    )[path];
    if (kind === undefined || !given?.actionId) return null;
    const { scope = 'account', actionId, reason = null } = given;
    if (kind === 'resume' && given.typed !== scope) return { status: 409, problem: 'The typed scope is another one.' };
    const refusal = this.refusals.get(kind);
    if (refusal !== undefined) return { status: 409, problem: refusal };
    if (kind === 'halt')
      this.halts = [...this.halts, { scope, by: 'ada', reason: reason ?? 'by hand', sinceUs: this.nowUs }];
    if (kind === 'resume') this.halts = this.halts.filter((halt) => halt.scope !== scope);
    const action: Action = {
      actionId,
      bot: 'demo',
      kind,
      scope,
      state: 'latched',
      by: 'ada',
      reason,
      text: 'The console wrote it down.',
      canceled: 0,
      left: [],
      at: { latched: this.nowUs },
    };
    this.#actions.set(actionId, action);
    return { status: 202, body: action };
  }

  #advance(action: Action): Action {
    const state =
      STATES[Math.min(STATES.length - 1, STATES.findIndex((each) => each === action.state) + 1)] ?? 'confirmed';
    const canceled = state === 'canceling' ? this.markets.cancelOrders(this.nowUs) : action.canceled;
    const text =
      state === 'confirmed' ? `The list of the exchange is empty; ${canceled} orders were canceled.` : 'In progress.';
    const next: Action = {
      ...action,
      state,
      canceled,
      text,
      at: { ...action.at, [state]: action.at[state] ?? this.nowUs },
    };
    this.#actions.set(action.actionId, next);
    return next;
  }

  #preview(): unknown {
    const positions = this.markets.rows.filter(({ position }) => position !== 0);
    return {
      previewId: 'preview-1',
      expiresUs: this.nowUs + 30_000_000,
      orders: positions.slice(1).map(({ ticker, position, bid, ask }) => ({
        ticker,
        side: position > 0 ? 'sell' : 'buy',
        price: position > 0 ? bid : ask,
        qty: Math.abs(position),
        costMicros: 1_240_000,
      })),
      unclosed: positions
        .slice(0, 1)
        .map(({ ticker, position }) => ({ ticker, qty: position, why: 'The book is empty.' })),
      worstCostMicros: 8_680_000,
    };
  }
}
