// Keeps the future out of a replay: rows contain a market's result only from the time when the venue published it. For
// a test, every result can also be flipped. A run that then decides differently before the first result has used the
// future.
import type { MarketStatus } from '../../domain/market.ts';
import { type Market, statusByClock } from '../../domain/market.ts';
import { openingPrice } from '../../domain/position.ts';
import { EPOCH, type Micros, type Price } from '../../domain/units.ts';
import { parseEventText, eventText } from './event-text.ts';
import { restateMarket, statedMarketOf } from './stated-market.ts';
import { type RowBlock, RowKind, type RowSource } from './tape-rows.ts';

/** Statuses in which the venue may have published a result. */
const RESULT_STATUSES: ReadonlySet<MarketStatus> = new Set(['determined', 'disputed', 'amended', 'finalized']);

/**
 * Returns a market as it was known at a time, even if it was described later. Before its close it has neither a result
 * nor a later status. After its close, a market keeps its result only in statuses with a published result. Returns the
 * same object when nothing needs to be removed.
 */
export function asKnownAt(market: Market, at: Micros): Market {
  const { status, closeAt, result, settlementValue } = market;
  const isPublished = RESULT_STATUSES.has(status) && at >= closeAt;
  const isEarly = at < closeAt && (RESULT_STATUSES.has(status) || status === 'closed');
  if (!isEarly && (isPublished || (result === null && settlementValue === null))) return market;
  const statusThen = isEarly ? statusByClock({ ...market, status: 'initialized' }, at) : status;
  return { ...market, status: statusThen, result: null, settlementValue: null };
}

/**
 * Returns the same rows with every result flipped: YES and NO swap, and a settlement value becomes that of the other
 * outcome.
 * @param since Flips only results learned at this time or later.
 */
export function flipOutcomes(source: RowSource, since: Micros = EPOCH): RowSource {
  return {
    facts: source.facts,
    tickers: source.tickers,
    readBlocks: (range) => flippedBlocks(source.readBlocks(range), since),
    close: () => source.close(),
  };
}

function* flippedBlocks(blocks: Iterable<RowBlock>, since: Micros): Generator<RowBlock> {
  for (const block of blocks) {
    const { count, kind, at, venueAt, market, price, qty } = block;
    const text = (row: number): string =>
      kind[row] === RowKind.other && (at[row] ?? 0) >= since ? flippedText(block.text(row)) : block.text(row);
    yield { count, kind, at, venueAt, market, price, qty, text };
  }
}

function flippedText(text: string): string {
  const event = parseEventText(text);
  const stated = statedMarketOf(event);
  return stated === null ? text : eventText(restateMarket(event, flipped(stated.stated)));
}

type Outcome = Partial<Pick<Market, 'result' | 'settlementValue'>>;

function flipped({ result, settlementValue }: Outcome): Outcome {
  return {
    ...(result !== undefined && { result: result === 'yes' ? 'no' : result === 'no' ? 'yes' : result }),
    ...(settlementValue !== undefined && { settlementValue: flippedValue(settlementValue) }),
  };
}

const flippedValue = (value: Price | null): Price | null => (value === null ? null : openingPrice('sell', value));
