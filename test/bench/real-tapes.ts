// Tapes like those of real work, for benchmarks: recordings of the real exchange, imported where they are at hand, and
// generated tapes of the same shape.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { must } from '../../src/base/assert.ts';
import { readDefinitions } from '../../src/cli/tape/import-definitions.ts';
import { eventTicker, type MarketIndex, seriesTicker, ticker } from '../../src/domain/ids.ts';
import { CENT_GRID } from '../../src/domain/price-grid.ts';
import { EPOCH, fromSeconds, type Micros, micros, type Price, type Qty } from '../../src/domain/units.ts';
import { BakedWriter } from '../../src/tape/baked/baked-writer.ts';
import { importerNamed } from '../../src/tape/import/import-formats.ts';
import { captureWire } from '../../src/venues/trade-api/captures/capture-dialects.ts';
import { ROOT } from '../e2e/presage.ts';

const DATA = join(ROOT, '../shared/data');
const GOLD = join(DATA, 'kalshi-gold-2026-08');
const QUOTES = join(DATA, 'kalshi-quotes-2025-12');
const TRADES = join(DATA, 'kalshi-trades-2026-01', 'kxinx_trades.csv.gz');

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** Imports the feed of the six gold windows into one tape. Returns its path, or `null` without the recordings. */
export async function goldTape(folder: string): Promise<string | null> {
  const file = join(folder, 'gold.arrow');
  return (await importGold(file)) === null ? null : file;
}

/** Imports the feed of the six gold windows. Returns the number of messages read, or `null` without the recordings. */
export async function importGold(file: string): Promise<number | null> {
  if (!existsSync(GOLD)) return null;
  const { definitions } = readDefinitions([join(GOLD, 'metadata')], captureWire);
  const importer = must(importerNamed('feed-jsonl'), 'feed-jsonl');
  const writer = new BakedWriter(file);
  const files = filesIn(join(GOLD, 'events'));
  const { read } = await importer.importFiles({ files, writer, wire: captureWire, venue: 'service', definitions });
  return read;
}

/** Imports three days of quotes of 18 markets into one tape. Returns its path, or `null` without the recordings. */
export async function quotesTape(folder: string): Promise<string | null> {
  return existsSync(QUOTES) ? importText('quotes-csv', filesIn(QUOTES), join(folder, 'quotes.arrow')) : null;
}

/** Imports two months of trades in 423 markets into one tape. Returns its path, or `null` without the recordings. */
export async function tradesTape(folder: string): Promise<string | null> {
  return existsSync(TRADES) ? importText('trades-csv', [TRADES], join(folder, 'trades.arrow')) : null;
}

async function importText(format: string, files: readonly string[], file: string): Promise<string> {
  const { definitions } = readDefinitions([], captureWire);
  const place = { files, writer: new BakedWriter(file), wire: captureWire, venue: 'service', definitions };
  await must(importerNamed(format), format).importFiles({ ...place, timeZone: 'America/Los_Angeles' });
  return file;
}

/** The shape of a generated tape. */
export interface GeneratedShape {
  readonly markets: number;
  readonly hours: number;
  /** Changes of levels, spread evenly over the time, each in a market drawn at random. */
  readonly changes: number;
}

export const GENERATED_SERIES = 'WORK';
const BEGIN = fromSeconds(1_780_000_000);
const GROUP_SIZE = 5;
/** Price levels of each side that have quantity, and the distance of the best from the middle. */
const LEVELS = 10;
const MIDDLE_CENTS = 50;

/** Generates a tape of changes below the best prices: books that move, and do not cross. Returns its path. */
export function generatedTape(folder: string, { markets, hours, changes }: GeneratedShape): string {
  const file = join(folder, 'generated.arrow');
  const writer = new BakedWriter(file);
  const end = micros(BEGIN + fromSeconds(hours * 3600));
  for (let number = 0; number < markets; number++) openMarket(writer, number, end);
  const random = xoroshiro128plus(7);
  const quantities = new Int32Array(markets * 2 * LEVELS).fill(10_000);
  for (let change = 0; change < changes; change++) {
    const at = micros(BEGIN + Math.floor(((change + 1) * (end - BEGIN)) / (changes + 1)));
    const market = uniformInt(random, 0, markets - 1);
    const [isBid, level] = [uniformInt(random, 0, 1) === 1, uniformInt(random, 0, LEVELS - 1)];
    const cell = (market * 2 + (isBid ? 1 : 0)) * LEVELS + level;
    // The best level comes and goes, so that the touch moves.
    const next = (quantities[cell] ?? 0) > 0 && level < 2 ? 0 : 100 * uniformInt(random, 1, 200);
    const step = next - (quantities[cell] ?? 0);
    if (step === 0) continue;
    quantities[cell] = next;
    const price = 100 * (isBid ? MIDDLE_CENTS - 1 - level : MIDDLE_CENTS + 1 + level);
    const where = { market: market as MarketIndex, side: isBid ? 'bid' : 'ask', price: price as Price } as const;
    writer.writeDelta({ at, exchangeAt: null, ...where, change: step as Qty });
  }
  writer.finish({ source: 'generated', venue: 'service', sourceHash: '', from: BEGIN, to: end });
  return file;
}

function openMarket(writer: BakedWriter, number: number, end: Micros): void {
  const name = `${GENERATED_SERIES}-${Math.floor(number / GROUP_SIZE)}-${number}`;
  const market = writer.marketNumber(name);
  const group = eventTicker(`${GENERATED_SERIES}-${Math.floor(number / GROUP_SIZE)}`);
  if (number % GROUP_SIZE === 0)
    writer.writeOther({
      kind: 'event-group',
      at: BEGIN,
      group: {
        eventTicker: group,
        seriesTicker: seriesTicker(GENERATED_SERIES),
        title: 'Generated',
        isExclusive: false,
        tickers: [],
      },
    });
  writer.writeOther({
    kind: 'market',
    at: BEGIN,
    market: {
      ticker: ticker(name),
      index: market,
      eventTicker: group,
      title: 'A generated market',
      status: 'active',
      openAt: EPOCH,
      closeAt: micros(end + fromSeconds(3600)),
      canCloseEarly: false,
      grid: CENT_GRID,
      result: null,
      settlementValue: null,
    },
  });
  const levels = (direction: number): [Price, Qty][] =>
    Array.from({ length: LEVELS }, (_, level) => [
      (100 * (MIDDLE_CENTS + direction * (1 + level))) as Price,
      10_000 as Qty,
    ]);
  writer.writeSnapshot({ at: BEGIN, exchangeAt: null, market, bids: levels(-1), asks: levels(1) });
}
