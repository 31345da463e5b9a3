// Candles as what they are at their end: a summary of the market, and its best prices then. Nothing of what happened within
// a candle is told, for nobody knows in which order it did. Must never tell a candle before it is over.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { MarketIndex } from '../../domain/ids.ts';
import { type Micros, NO_QTY, type Qty, addQty, fromSeconds, micros } from '../../domain/units.ts';
import { type ImportPlace, ImportFault } from './fault.ts';
import { lineChunks } from './files.ts';
import { found } from './findings.ts';
import type { Format, Telling } from './importer.ts';
import { parsed } from './json.ts';
import { QuoteTeller } from './quotes.ts';
import type { Candle } from './wire.ts';

/** A candle's end is told in whole seconds and lies within it: only then is that second over. */
const AFTER_END = fromSeconds(1);
/** Answers hold ten thousand candles at the most: a file of more bytes is not one. */
const ANSWER_BYTES_MAX = 64 << 20;

interface PlacedCandle {
  readonly candle: Candle;
  readonly place: ImportPlace;
}

/** All candles of a file: one answer, or one a line. */
async function candlesOf(file: string, telling: Telling): Promise<PlacedCandle[]> {
  const text = textOf(file);
  const whole = parsed(text);
  telling.progress(Buffer.byteLength(text));
  if (whole !== undefined) return readAnswer(whole, { file, line: 1 }, telling);
  const candles: PlacedCandle[] = [];
  for await (const { bytes, line } of lineChunks(file, () => {})) {
    bytes
      .toString()
      .split('\n')
      .forEach((each, at) => {
        const place = { file, line: line + at };
        if (each.trim() === '') return;
        const answer = parsed(each);
        if (answer !== undefined) candles.push(...readAnswer(answer, place, telling));
        else telling.findings.add('bad-row', place, `expected an answer with candles as JSON, found ${found(each)}`);
      });
  }
  return candles;
}

function textOf(file: string): string {
  const bytes = readFileSync(file);
  if (bytes.length > ANSWER_BYTES_MAX)
    throw new ImportFault({ file, line: null }, `expected answers of ${ANSWER_BYTES_MAX} bytes at the most`);
  return (file.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: 4 * ANSWER_BYTES_MAX }) : bytes).toString();
}

function readAnswer(json: unknown, place: ImportPlace, { options, findings }: Telling): PlacedCandle[] {
  const candles = options.wire.candles(json, (kind, detail) =>
    findings.add(kind.startsWith('field ') ? 'unknown-member' : 'bad-row', place, `${kind}: ${detail}`),
  );
  return candles.map((candle) => ({ candle, place }));
}

/** Tells candles. */
class CandleTeller {
  readonly #telling: Telling;
  readonly #quotes: QuoteTeller;
  /** All that traded of a market so far, and the end of its last candle. */
  readonly #soFar = new Map<MarketIndex, { readonly volume: Qty; readonly endAt: Micros }>();

  constructor(telling: Telling) {
    this.#telling = telling;
    this.#quotes = new QuoteTeller(telling, false);
    telling.findings.resolve('duplicate', 'left out');
  }

  tell({ candle, place }: PlacedCandle): void {
    const { options, findings, tickers, clock } = this.#telling;
    const ticker = candle.ticker ?? options.ticker;
    if (ticker === undefined)
      throw new ImportFault(place, 'expected the market to be named in the answer or by an option, found neither');
    const market = tickers.intern(ticker);
    const { volume: before = NO_QTY, endAt } = this.#soFar.get(market) ?? {};
    if (candle.endAt === endAt)
      return findings.add('duplicate', place, `${ticker}: a second candle that ends at ${endAt}`);
    const volume = addQty(before, candle.volume);
    this.#soFar.set(market, { volume, endAt: candle.endAt });
    const at = clock.date(micros(candle.endAt + AFTER_END), place);
    const { bid, ask, lastPrice, openInterest } = candle;
    this.#telling.emit({
      kind: 'ticker',
      at,
      exchangeAt: candle.endAt,
      market,
      lastPrice,
      bestBid: bid,
      bestAsk: ask,
      volume,
      openInterest,
    });
    this.#quotes.tell({ at, place, ticker, bid, ask });
  }
}

async function tellCandles(telling: Telling): Promise<void> {
  const candles: PlacedCandle[] = [];
  for (const file of telling.options.files) candles.push(...(await candlesOf(file, telling)));
  for (const _ of candles) telling.count();
  telling.assume('A candle is told one second after its end, and of it only what stood then: nothing from within.');
  telling.assume('The best prices at the end of a candle stand until the end of the next one.');
  telling.assume('The volume of a market is what its candles add up to.');
  const teller = new CandleTeller(telling);
  for (const placed of candles.sort((a, b) => a.candle.endAt - b.candle.endAt)) teller.tell(placed);
}

export const candlesJson: Format = {
  name: 'candles-json',
  description: 'candlesticks as the REST API answers them, one answer a file or a line',
  accepts: ['.json', '.jsonl', '.json.gz', '.jsonl.gz'],
  tell: tellCandles,
};
