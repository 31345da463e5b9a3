// Answers of the simulated venue about itself, its markets and their books, as of now. Lists come in pages. Must never
// answer with anything that the tape has not shown by now.
import type { MarketFilter, ReadCommand, ReadTarget } from '../../../domain/venue-command.ts';
import type { Micros } from '../../../domain/units.ts';
import type { ListedGroup, TapeListing } from './tape-listing.ts';
import { type ListPage, pageOf } from './simulated-pages.ts';
import type { TradingStatus } from '../account/order-checks.ts';
import type { FillSimulator, VenueEvent } from '../simulator-interfaces.ts';
import type { VenueMarket } from '../account/venue-records.ts';

export interface MarketReadsOptions {
  readonly listing: TapeListing;
  readonly matching: FillSimulator;
  readonly status: TradingStatus;
  readonly pageRows: number;
  readonly pageGroups: number;
}

/** A failed read. `isRefused` is true when a repeated read would fail as well. */
export interface FailedRead {
  readonly reason: string;
  readonly isRefused: boolean;
}

type Answer = readonly VenueEvent[] | FailedRead;

const notFound = (what: string): FailedRead => ({ reason: `404 not_found: ${what}`, isRefused: true });

export class MarketReads {
  readonly #options: MarketReadsOptions;

  constructor(options: MarketReadsOptions) {
    this.#options = options;
  }

  answerRead(command: ReadCommand, askedAt: Micros): Answer | null {
    const { target } = command;
    const { listing, status } = this.#options;
    switch (target.what) {
      case 'status':
        return [{ kind: 'exchange-status', isActive: status.isActive, isTrading: status.isTrading }];
      case 'limits':
        // The config sets the budgets: only the success of this read matters.
        return [];
      case 'fee-changes': {
        const { seriesTicker } = target;
        return [{ kind: 'fees-scheduled', seriesTicker, changes: listing.feeChangesOf(seriesTicker) }];
      }
      case 'market': {
        const record = listing.marketOf(target.ticker);
        return record === undefined ? notFound(target.ticker) : [this.#marketEvent(record, askedAt)];
      }
      case 'event': {
        const listed = listing.listedGroup(target.eventTicker);
        return listed === undefined ? notFound(target.eventTicker) : this.#groupEvents(listed, askedAt);
      }
      case 'series':
        if (!listing.hasSeries(target.seriesTicker)) return notFound(target.seriesTicker);
        return [{ kind: 'series', series: listing.seriesOf(target.seriesTicker) }];
      case 'markets':
        return this.#markets(this.#recordsOf(target.by), command, askedAt);
      case 'events':
        return this.#events(target, command, askedAt);
      case 'book':
        return this.#book(target, askedAt);
      case 'balance':
      case 'positions':
      case 'orders':
      case 'order':
      case 'fills':
      case 'settlements':
      case 'queue-positions':
        return null;
    }
  }

  /** An unchanged market is the same object, so that the receiver can skip it. */
  #marketEvent(record: VenueMarket, askedAt: Micros): VenueEvent {
    const index = this.#options.listing.tickerIndexOf(record);
    const { market } = record;
    return { kind: 'market', askedAt, market: market.index === index ? market : { ...market, index } };
  }

  #groupEvents({ group, members }: ListedGroup, askedAt: Micros): VenueEvent[] {
    const events: VenueEvent[] = [{ kind: 'event-group', group }];
    for (const record of members) events.push(this.#marketEvent(record, askedAt));
    return events;
  }

  #recordsOf(by: MarketFilter): readonly VenueMarket[] {
    const { listing } = this.#options;
    if ('tickers' in by)
      return by.tickers.map((ticker) => listing.marketOf(ticker)).filter((record) => record !== undefined);
    if ('eventTicker' in by) return listing.listedGroup(by.eventTicker)?.members ?? [];
    return listing.listedGroupsOf(by.seriesTicker).flatMap(({ members }) => members);
  }

  #markets(records: readonly VenueMarket[], { id, cursor }: ReadCommand, askedAt: Micros): VenueEvent[] {
    const size = this.#options.pageRows;
    const page = pageOf(records, { cursor, size, keyOf: ({ market }) => market.ticker });
    return [...page.rows.map((record) => this.#marketEvent(record, askedAt)), listOf(id, page)];
  }

  #events(
    { seriesTicker, closesAfter }: Extract<ReadTarget, { what: 'events' }>,
    { id, cursor }: ReadCommand,
    askedAt: Micros,
  ): VenueEvent[] {
    const { listing, pageGroups: size } = this.#options;
    const isListed = ({ members }: ListedGroup): boolean =>
      members.some(({ market }) => market.closeAt >= (closesAfter ?? 0));
    const groups = listing.listedGroupsOf(seriesTicker);
    const page = pageOf(groups, { cursor, size, keyOf: ({ group }) => group.eventTicker, isListed });
    return [...page.rows.flatMap((listed) => this.#groupEvents(listed, askedAt)), listOf(id, page)];
  }

  #book({ ticker, market }: Extract<ReadTarget, { what: 'book' }>, askedAt: Micros): Answer {
    const { listing, matching } = this.#options;
    const record = listing.marketOf(ticker);
    if (record === undefined || record.index !== market) return notFound(ticker);
    if (!matching.isBookKnown(market)) return { reason: 'the tape does not show the book', isRefused: false };
    return [{ kind: 'book-poll', askedAt, market, ...matching.levelsOf(market) }];
  }
}

const listOf = <Row>(commandId: number, { cursor }: ListPage<Row>): VenueEvent => ({
  kind: 'markets-listed',
  commandId,
  cursor,
});
