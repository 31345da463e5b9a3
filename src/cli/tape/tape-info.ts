// `presage tape info`: summarizes a tape: its source, times, markets and gaps.
import { statSync } from 'node:fs';
import { openShowingProgress } from './tape-opening.ts';
import { isoMicros } from '../../tape/format/iso-time.ts';
import { EPOCH, type Micros } from '../../domain/units.ts';
import { countedNoun, timeText } from '../../report/text/figure-text.ts';
import { type RowSource, RowKind, type TapeFacts, type TapeGap } from '../../tape/baked/tape-rows.ts';
import { type SessionHeader, sessionHeaders } from '../../tape/journal/session-headers.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import { bytesText, clockText, columns } from '../output/text-format.ts';
import { type TapePlace, tapeAt } from '../../app/tape-place.ts';

/** Counts of one market. */
export interface MarketRows {
  readonly ticker: string;
  deltas: number;
  prints: number;
  snapshots: number;
  /** Time of the first counted row. `to` is the time of the last. */
  from: Micros;
  to: Micros;
}

/** Summary of a tape. */
export interface TapeInfo {
  readonly tape: string;
  readonly of: 'baked' | 'recording' | 'journal';
  readonly facts: TapeFacts;
  readonly bytes: number;
  readonly files: number;
  /** Sessions of a folder. Empty for a baked file. */
  readonly sessions: readonly SessionHeader[];
  readonly markets: readonly MarketRows[];
}

/**
 * Summarizes a tape.
 * @throws {UsageError} when there is none.
 * @throws {TapeFault} or {BakedFault} when the tape is damaged.
 */
export function tapeInfo(tape: string): TapeInfo {
  const place = tapeAt(tape);
  const source = openShowingProgress(tape);
  try {
    const sessions = place.type === 'raw' ? sessionHeaders(place.storage) : [];
    const of = place.type === 'baked' ? 'baked' : (sessions.at(-1)?.of ?? 'journal');
    return { tape, of, facts: source.facts, ...sizeOf(place), sessions, markets: marketsOf(source) };
  } finally {
    source.close();
  }
}

function sizeOf(place: TapePlace): Pick<TapeInfo, 'bytes' | 'files'> {
  if (place.type === 'baked') return { bytes: statSync(place.path).size, files: 1 };
  const segments = segmentsOf(place.storage);
  return { bytes: segments.reduce((sum, { name }) => sum + place.storage.sizeOf(name), 0), files: segments.length };
}

type Counter = 'deltas' | 'prints' | 'snapshots';
const COUNTERS: Readonly<Partial<Record<number, Counter>>> = {
  [RowKind.bid]: 'deltas',
  [RowKind.ask]: 'deltas',
  [RowKind.buy]: 'prints',
  [RowKind.sell]: 'prints',
  [RowKind.snapshot]: 'snapshots',
};

function marketsOf(source: RowSource): MarketRows[] {
  const byNumber = new Map<number, MarketRows>();
  const tickers = source.tickers.tickersByIndex();
  for (const { count, kind, at, market } of source.readBlocks())
    for (let row = 0; row < count; row++) {
      const counter = COUNTERS[kind[row] ?? 0];
      if (counter === undefined) continue;
      const number = market[row] ?? 0;
      // tidy: as (their writer took these columns as moments, and their checksum fits)
      const when = (at[row] ?? 0) as Micros;
      let rows = byNumber.get(number);
      if (rows === undefined) {
        rows = { ticker: tickers[number] ?? '', deltas: 0, prints: 0, snapshots: 0, from: when, to: when };
        byNumber.set(number, rows);
      }
      rows[counter] += 1;
      rows.to = when;
    }
  return [...byNumber.values()].sort((a, b) => (a.ticker < b.ticker ? -1 : 1));
}

const MARKETS_SHOWN = 40;
const GAPS_SHOWN = 20;

/** Renders the summary as lines. */
export function renderInfo({ tape, of, facts, bytes, files, sessions, markets }: TapeInfo): string[] {
  const span = `${isoMicros(facts.from)} to ${isoMicros(facts.to)}, ${clockText((facts.to - facts.from) / 1000)}`;
  return [
    `${tape}: ${of === 'baked' ? 'a baked tape' : `a ${of}`} of ${facts.venue}${facts.source === facts.venue ? '' : `, from ${facts.source}`}`,
    facts.to === EPOCH ? '  nothing is on it' : `  ${span}`,
    `  ${bytesText(bytes)} in ${countedNoun(files, 'file')}, ${countedNoun(facts.rows, 'row')}`,
    ...sessions.map(
      ({ session, from, version }) =>
        `  session ${session} of ${isoMicros(from)}${version === null ? '' : `, presage ${version}`}`,
    ),
    '',
    ...columns(Object.entries(facts.counts).map(([kind, count]) => [`  ${kind}`, String(count)])),
    '',
    ...columns([
      ['market', 'changes', 'trades', 'snapshots', 'from', 'to'],
      ...markets.slice(0, MARKETS_SHOWN).map((rows) => marketRow(rows, shortMomentIn(facts))),
    ]),
    ...(markets.length > MARKETS_SHOWN
      ? [`and ${markets.length - MARKETS_SHOWN} more markets: --json names them all`]
      : []),
    '',
    ...renderGaps(facts.gaps),
    ...facts.assumptions.map((sentence) => `note: ${sentence}`),
  ];
}

const marketRow = (
  { ticker, deltas, prints, snapshots, from, to }: MarketRows,
  shortMoment: (at: Micros) => string,
): string[] => [ticker, String(deltas), String(prints), String(snapshots), shortMoment(from), shortMoment(to)];

/** Shows only the parts of a moment that differ on the tape: a row must fit a terminal. */
function shortMomentIn({ from, to }: TapeFacts): (at: Micros) => string {
  const isOneDay = timeText(from).slice(0, 10) === timeText(to).slice(0, 10);
  return (at) => (isOneDay ? timeText(at).slice(11) : timeText(at).slice(5, 16));
}

function renderGaps(gaps: readonly TapeGap[]): string[] {
  if (gaps.length === 0) return ['no gaps'];
  return [
    `${countedNoun(gaps.length, 'gap')}, in which books are unknown until their next snapshot:`,
    ...gaps.slice(0, GAPS_SHOWN).map(({ from, to, reason, tickers }) => {
      const which =
        tickers.length === 0
          ? 'all markets'
          : tickers.slice(0, 3).join(', ') + (tickers.length > 3 ? ` and ${tickers.length - 3} more` : '');
      return `  ${isoMicros(from)} for ${((to - from) / 1_000_000).toFixed(3)} s, ${which}: ${reason}`;
    }),
    ...(gaps.length > GAPS_SHOWN ? [`  and ${gaps.length - GAPS_SHOWN} more: --json names them all`] : []),
  ];
}
