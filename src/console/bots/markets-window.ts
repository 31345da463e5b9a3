// Sorts and filters the table of markets. Pure. Must never return more rows than were asked for.
import type { MarketRow, MarketsPage } from '../api/api-schemas.ts';
import type { MarketsQuery } from '../api/view-schemas.ts';
import type { MarketCells, MarketFacts } from '../../runtime/follow/follow-messages.ts';
import { isPastClose } from '../../domain/market.ts';
import type { BotState } from './bot-source.ts';

/** Most rows of one answer. */
export const WINDOW_ROWS_MAX = 1000;

/** A price of -1 means that there is none. */
const priceOf = (cell: number): number | null => (cell < 0 ? null : cell);

/** Makes the row of a market from its facts and figures. */
export function marketRow(facts: MarketFacts, cells: MarketCells | undefined): MarketRow {
  const { ticker, title, series, group, closesAtUs } = facts;
  const [, status, trust, bid, bidQty, ask, askQty, ownBid, ownBidQty, ownAsk, ownAskQty, position, dayMicros] =
    cells ?? NO_CELLS;
  return {
    ticker,
    title,
    series,
    group,
    closesAtUs,
    status,
    trust,
    bid: priceOf(bid),
    bidQty,
    ask: priceOf(ask),
    askQty,
    ownBid: priceOf(ownBid),
    ownBidQty,
    ownAsk: priceOf(ownAsk),
    ownAskQty,
    position,
    dayMicros,
  };
}

const NO_CELLS: MarketCells = [0, 'unknown', 'unknown', -1, 0, -1, 0, -1, 0, -1, 0, 0, 0];

/** True when we have a working order or a position in the market. */
export const isOurs = (cells: MarketCells): boolean => cells[7] >= 0 || cells[9] >= 0 || cells[11] !== 0;

interface Candidate {
  readonly facts: MarketFacts;
  readonly cells: MarketCells;
}

type Compare = (a: Candidate, b: Candidate) => number;

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byTicker: Compare = (a, b) => byText(a.facts.ticker, b.facts.ticker);
/** The greatest value comes first. */
const byCell =
  (index: 3 | 5 | 12): Compare =>
  (a, b) =>
    b.cells[index] - a.cells[index];

/** States of a book, the worst first. */
const TRUST_ORDER: Readonly<Record<string, number>> = { suspect: 0, rebuilding: 1, live: 2 };
/** A market that is past its close gets no snapshot, so its book does not count. */
const trustRank = (market: Candidate): number => (isOver(market) ? 3 : (TRUST_ORDER[market.cells[2]] ?? 3));

const COMPARE: Readonly<Record<MarketsQuery['sort'], Compare>> = {
  ours: (a, b) => Number(isOurs(b.cells)) - Number(isOurs(a.cells)),
  ticker: byTicker,
  status: (a, b) => byText(a.cells[1], b.cells[1]),
  trust: (a, b) => trustRank(a) - trustRank(b),
  bid: byCell(3),
  ask: byCell(5),
  position: (a, b) => Math.abs(b.cells[11]) - Math.abs(a.cells[11]),
  day: byCell(12),
  closes: (a, b) => Number(isOver(a)) - Number(isOver(b)) || (isOver(a) ? byLatestClose(a, b) : byNextClose(a, b)),
};

const isOver = ({ cells: [, status] }: Candidate): boolean => isPastClose(status);
const byNextClose: Compare = ({ facts: a }, { facts: b }) =>
  (a.closesAtUs ?? Number.MAX_SAFE_INTEGER) - (b.closesAtUs ?? Number.MAX_SAFE_INTEGER);
const byLatestClose: Compare = ({ facts: a }, { facts: b }) => (b.closesAtUs ?? 0) - (a.closesAtUs ?? 0);

/** Returns the rows that a query asks for. Equal rows are sorted by ticker, so that their places do not change. */
export function marketsPage(
  state: Pick<BotState, 'facts' | 'cells' | 'cellsAtUs'>,
  { q, sort, ours, from, to }: Pick<MarketsQuery, 'q' | 'sort' | 'ours' | 'from' | 'to'>,
): MarketsPage {
  const found = filteredMarkets(state, q, ours);
  const compare = COMPARE[sort];
  found.sort((a, b) => compare(a, b) || byTicker(a, b));
  const first = Math.min(from, found.length);
  const end = Math.min(Math.max(first, to), first + WINDOW_ROWS_MAX);
  const rows = found.slice(first, end).map(({ facts, cells }) => marketRow(facts, cells));
  return { total: found.length, from: first, rows, asOfUs: state.cellsAtUs };
}

function filteredMarkets({ facts, cells }: Pick<BotState, 'facts' | 'cells'>, q = '', ours = false): Candidate[] {
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found: Candidate[] = [];
  for (const each of facts.values()) {
    const own = cells.get(each.index) ?? NO_CELLS;
    if (ours && !isOurs(own)) continue;
    if (words.length > 0 && !hasWords(each, words)) continue;
    found.push({ facts: each, cells: own });
  }
  return found;
}

function hasWords({ ticker, title, series, group }: MarketFacts, words: readonly string[]): boolean {
  const text = `${ticker} ${title} ${series ?? ''} ${group ?? ''}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
