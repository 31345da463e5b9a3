// What the simulated venue answers about itself, its markets and their books, as of now. Lists come a page at a time.
// Must never tell what the tape has not told by now.
import type { MarketFilter, ReadCommand, ReadTarget } from '../../domain/command.ts';
import type { EventGroup } from '../../domain/market.ts';
import type { Micros } from '../../domain/units.ts';
import type { Listing } from './listing.ts';
import { type Page, pageOf } from './pages.ts';
import type { Standing } from './checks.ts';
import type { Floor, VenueEvent } from './ports.ts';
import type { MarketRecord } from './records.ts';

export interface MarketReadsOptions {
  readonly listing: Listing;
  readonly floor: Floor;
  readonly standing: Standing;
  /** Rows of a page, and event groups of one. */
  readonly pageRows: number;
  readonly pageGroups: number;
}

/** What could not be read, and whether asking again is of no use. */
export interface Unread {
  readonly reason: string;
  readonly isRefused: boolean;
}

type Answer = readonly VenueEvent[] | Unread;

const unknown = (what: string): Unread => ({ reason: `404 not_found: ${what}`, isRefused: true });

export class MarketReads {
  readonly #options: MarketReadsOptions;

  constructor(options: MarketReadsOptions) {
    this.#options = options;
  }

  /** The answer; `null` when it asks for something else. */
  answer(command: ReadCommand, askedAt: Micros): Answer | null {
    const { target } = command;
    const { listing, standing } = this.#options;
    switch (target.what) {
      case 'status':
        return [{ kind: 'exchange-status', isActive: standing.isActive, isTrading: standing.isTrading }];
      case 'limits':
        // That they can be read is all there is to tell: the budgets are set by the config.
        return [];
      case 'market': {
        const record = listing.market(target.ticker);
        return record === undefined ? unknown(target.ticker) : [this.#tell(record, askedAt)];
      }
      case 'event': {
        const group = listing.group(target.eventTicker);
        return group === undefined ? unknown(target.eventTicker) : this.#tellGroup(group, askedAt);
      }
      case 'series':
        if (!listing.hasSeries(target.seriesTicker)) return unknown(target.seriesTicker);
        return [{ kind: 'series', series: listing.series(target.seriesTicker) }];
      case 'markets':
        return this.#markets(this.#recordsOf(target.by), command, askedAt);
      case 'events':
        return this.#events(target, command, askedAt);
      case 'book':
        return this.#book(target, askedAt);
      default:
        return null;
    }
  }

  #tell(record: MarketRecord, askedAt: Micros): VenueEvent {
    const market = { ...record.market, index: this.#options.listing.indexOf(record) };
    return { kind: 'market', askedAt, market };
  }

  #tellGroup(group: EventGroup, askedAt: Micros): VenueEvent[] {
    const members = this.#options.listing.membersOf(group.eventTicker);
    const tickers = members.map(({ market }) => market.ticker);
    const markets = members.map((record) => this.#tell(record, askedAt));
    return [{ kind: 'event-group', group: { ...group, tickers } }, ...markets];
  }

  #recordsOf(by: MarketFilter): MarketRecord[] {
    const { listing } = this.#options;
    if ('tickers' in by)
      return by.tickers.map((ticker) => listing.market(ticker)).filter((record) => record !== undefined);
    if ('eventTicker' in by) return listing.membersOf(by.eventTicker);
    return listing.groupsOf(by.seriesTicker).flatMap(({ eventTicker }) => listing.membersOf(eventTicker));
  }

  #markets(records: readonly MarketRecord[], { id, cursor }: ReadCommand, askedAt: Micros): VenueEvent[] {
    const size = this.#options.pageRows;
    const page = pageOf(records, { cursor, size, keyOf: ({ market }) => market.ticker });
    return [...page.rows.map((record) => this.#tell(record, askedAt)), listed(id, page)];
  }

  #events(
    { seriesTicker, closesAfter }: Extract<ReadTarget, { what: 'events' }>,
    { id, cursor }: ReadCommand,
    askedAt: Micros,
  ): VenueEvent[] {
    const { listing, pageGroups: size } = this.#options;
    const groups = listing
      .groupsOf(seriesTicker)
      .filter((group) =>
        listing.membersOf(group.eventTicker).some(({ market }) => market.closeAt >= (closesAfter ?? 0)),
      );
    const page = pageOf(groups, { cursor, size, keyOf: ({ eventTicker }) => eventTicker });
    return [...page.rows.flatMap((group) => this.#tellGroup(group, askedAt)), listed(id, page)];
  }

  #book({ ticker, market }: Extract<ReadTarget, { what: 'book' }>, askedAt: Micros): Answer {
    const { listing, floor } = this.#options;
    const record = listing.market(ticker);
    if (record === undefined || record.index !== market) return unknown(ticker);
    if (!floor.isKnown(market)) return { reason: 'the tape does not say what the book is', isRefused: false };
    return [{ kind: 'book-poll', askedAt, market, ...floor.levels(market) }];
  }
}

const listed = <Row>(commandId: number, { cursor }: Page<Row>): VenueEvent => ({
  kind: 'markets-listed',
  commandId,
  cursor,
});
