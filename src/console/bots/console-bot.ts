// One bot of the console: source, folder, charts, and readers of the live stream. Must never let a bot fill the memory.
import type { BotRow, Chart, MarketsPage } from '../api/api-schemas.ts';
import type { ChartQuery, MarketsQuery } from '../api/view-schemas.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import {
  type FollowFrame,
  type LiveEvent,
  type MarketCells,
  WATCHED_MARKETS_MAX,
} from '../../runtime/follow/follow-messages.ts';
import { ChangeRing } from '../live/change-ring.ts';
import type { PartChange } from '../live/pending-parts.ts';
import type { BotFolder } from './bot-folder.ts';
import { type FolderFacts, botRow, processOf } from './bot-row.ts';
import type { BotSource, BotState } from './bot-source.ts';
import { EquityTrace } from './equity-trace.ts';
import { isOurs, marketsPage } from './markets-window.ts';
import { PriceSeries } from './price-series.ts';

export interface ConsoleBotOptions {
  /** A name that is unique in this console. */
  readonly name: string;
  readonly dataFolder: string;
  /**
   * The config, and whether the bot is its paper session; `null` when only the data folder is known. A bot without a config
   * cannot be controlled.
   */
  readonly config: { readonly file: string; readonly content: BotConfig; readonly isPaper: boolean } | null;
  readonly source: BotSource;
  readonly folder: BotFolder;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
}

/** Time for which facts of the folder are kept. Milliseconds. */
const FOLDER_MS = 1000;
const WATCHDOG_EVERY_MS = 5000;
/** Most markets with a series. The oldest series is dropped first. */
const SERIES_MAX = 300;

/** A reader of a bot's changes. */
export interface LiveReader {
  onChange(change: PartChange): void;
}

/** One bot of the console. */
export class ConsoleBot {
  readonly name: string;
  readonly dataFolder: string;
  readonly config: ConsoleBotOptions['config'];
  readonly source: BotSource;
  readonly ring: ChangeRing;
  readonly #options: ConsoleBotOptions;
  readonly #equity = new EquityTrace();
  /** By ticker. Added when a market is ours or watched; the oldest is removed beyond `SERIES_MAX`. */
  readonly #series = new Map<string, PriceSeries>();
  /** Number of the last event whose fill is in a chart. After a reconnection, the bot sends its events again. */
  #fillsTo = 0;
  #session: string | null = null;
  readonly #readers = new Set<LiveReader>();
  /** Number of readers, by the ticker of the watched market. */
  readonly #watched = new Map<string, number>();
  #facts: { readonly facts: FolderFacts; readonly atMs: number } | null = null;
  #watchdogMs = Number.NEGATIVE_INFINITY;

  constructor(options: ConsoleBotOptions) {
    this.#options = options;
    this.name = options.name;
    this.dataFolder = options.dataFolder;
    this.config = options.config;
    this.source = options.source;
    // The count starts at the microseconds of the clock, above every number of an earlier console.
    this.ring = new ChangeRing(options.nowMs() * 1000);
    this.source.onFrame((frame) => this.#onFrame(frame));
  }

  /** Returns the facts of the folder, at most a second old. */
  folderFacts(): FolderFacts {
    const nowMs = this.#options.nowMs();
    if (this.#facts === null || nowMs - this.#facts.atMs >= FOLDER_MS)
      this.#facts = {
        facts: this.#options.folder.readFacts({ isAbsent: this.source.link === 'absent' }),
        atMs: nowMs,
      };
    return this.#facts.facts;
  }

  /** Asks whether the watchdog runs, at most once in five seconds. */
  async checkWatchdog(): Promise<void> {
    const nowMs = this.#options.nowMs();
    if (nowMs - this.#watchdogMs < WATCHDOG_EVERY_MS) return;
    this.#watchdogMs = nowMs;
    await this.#options.folder.checkWatchdog();
  }

  row(): BotRow {
    const { name: bot, isPaper, source } = this;
    const nowUs = this.#options.nowMs() * 1000;
    return botRow({ bot, isPaper, source, folder: this.folderFacts(), equity: [...this.#equity.points()], nowUs });
  }

  /** True for paper sessions. Until a session answers, the options of the console say it, or else the journal. */
  get isPaper(): boolean {
    return this.source.state?.hello.isPaper ?? this.config?.isPaper ?? this.folderFacts().isPaper;
  }

  process(): BotRow['process'] {
    return processOf({ source: this.source, folder: this.folderFacts(), nowUs: this.#options.nowMs() * 1000 });
  }

  marketsPage(query: Pick<MarketsQuery, 'q' | 'sort' | 'ours' | 'from' | 'to'>): MarketsPage {
    return marketsPage(this.source.state ?? NO_MARKETS, query);
  }

  chartOf(ticker: string, { from, to, points }: ChartQuery): Chart {
    return (this.#series.get(ticker) ?? new PriceSeries()).chartOf({ fromUs: from, toUs: to, points });
  }

  hasMarket(ticker: string): boolean {
    return [...(this.source.state?.facts.values() ?? [])].some((facts) => facts.ticker === ticker);
  }

  addReader(reader: LiveReader): void {
    this.#readers.add(reader);
  }

  removeReader(reader: LiveReader): void {
    this.#readers.delete(reader);
  }

  /** Begins to watch a market. Returns false when too many markets are watched. */
  watchMarket(ticker: string): boolean {
    const count = this.#watched.get(ticker) ?? 0;
    if (count === 0 && this.#watched.size >= WATCHED_MARKETS_MAX) return false;
    this.#watched.set(ticker, count + 1);
    if (count === 0) this.source.watchMarkets([...this.#watched.keys()]);
    return true;
  }

  unwatchMarket(ticker: string): void {
    const count = this.#watched.get(ticker) ?? 0;
    if (count > 1) return void this.#watched.set(ticker, count - 1);
    this.#watched.delete(ticker);
    this.source.watchMarkets([...this.#watched.keys()]);
  }

  close(): void {
    this.source.close();
  }

  #onFrame(frame: FollowFrame | null): void {
    // The folder knows more of a bot that has just gone.
    if (frame === null) this.#facts = null;
    const change = frame === null ? LINK_CHANGED : this.#applyFrame(frame);
    if (change === null) return;
    this.ring.addChange(change, this.#options.nowMs());
    for (const reader of this.#readers) reader.onChange(change);
    if (frame !== null || this.source.link === 'connected') return;
    this.#equity.startGap(this.source.lastFrameUs ?? this.#options.nowMs() * 1000);
    for (const series of this.#series.values()) series.startGap();
  }

  #applyFrame(frame: FollowFrame): PartChange | null {
    switch (frame.type) {
      case 'hello':
        if (frame.session !== this.#session) this.#fillsTo = 0;
        this.#session = frame.session;
        return { parts: ['link'], isSnapshot: true };
      case 'session':
        this.#addEquity(frame);
        return { parts: ['session'] };
      case 'facts':
      case 'dropped':
        return { parts: ['markets'] };
      case 'markets':
        this.#addCells(frame.atUs, frame.rows);
        return frame.hasMore ? null : { parts: ['markets'] };
      case 'orders':
        return { parts: [], orders: frame.orders.map(({ clientOrderId }) => clientOrderId) };
      case 'events': {
        this.#addFills(frame.events);
        const [first] = frame.events;
        return first === undefined ? null : { parts: [], firstEvent: first.number };
      }
      case 'lost':
        return { parts: [], firstEvent: frame.from };
      case 'detail':
        return { parts: [], detail: frame.market.ticker };
      case 'beat':
        for (const series of this.#series.values()) series.extendTo(frame.atUs);
        return { parts: ['beat'] };
      case 'refused':
        return LINK_CHANGED;
    }
  }

  #addEquity({ atUs, session }: Extract<FollowFrame, { type: 'session' }>): void {
    if (session.account.isOpen) this.#equity.addEquity(atUs, session.account.equityMicros);
  }

  #addCells(atUs: number, rows: readonly MarketCells[]): void {
    const facts = this.source.state?.facts;
    for (const cells of rows) {
      const ticker = facts?.get(cells[0])?.ticker;
      if (ticker === undefined) continue;
      const series = this.#series.get(ticker);
      if (series !== undefined) series.addCells(atUs, cells);
      else if (isOurs(cells) || this.#watched.has(ticker)) this.#newSeries(ticker).addCells(atUs, cells);
    }
  }

  #newSeries(ticker: string): PriceSeries {
    const series = new PriceSeries();
    this.#series.set(ticker, series);
    for (const oldest of this.#series.keys()) {
      if (this.#series.size <= SERIES_MAX) break;
      this.#series.delete(oldest);
    }
    return series;
  }

  #addFills(events: readonly LiveEvent[]): void {
    for (const { number, atUs, ticker, clientOrderId, fill } of events) {
      if (number <= this.#fillsTo) continue;
      this.#fillsTo = number;
      if (fill === undefined || ticker === null) continue;
      const series = this.#series.get(ticker) ?? this.#newSeries(ticker);
      series.addFill({ atUs, ...fill, clientOrderId: clientOrderId ?? '' });
    }
  }
}

const LINK_CHANGED: PartChange = { parts: ['link'] };
const NO_MARKETS: Pick<BotState, 'facts' | 'cells' | 'cellsAtUs'> = {
  facts: new Map(),
  cells: new Map(),
  cellsAtUs: null,
};
