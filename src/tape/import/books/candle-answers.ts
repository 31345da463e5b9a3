// Imports candles. A candle is turned into a summary of its market, and the best prices at the candle's end. Prices
// within a candle are ignored, because their sequence is unknown. Must never write a candle before its end.
import type { MarketIndex } from '../../../domain/ids.ts';
import { type Micros, NO_QTY, type Qty, addQty, fromSeconds, micros } from '../../../domain/units.ts';
import { answersIn } from '../rows/venue-answers.ts';
import { type ImportPlace, ImportFault } from '../import-fault.ts';
import { noteListenerAt } from '../import-findings.ts';
import type { ImportFormat, ImportContext } from '../import-format.ts';
import { QuoteDecoder } from './quote-files.ts';
import type { ListedCandle } from '../import-wire.ts';

/** A candle's end is given as a whole second that belongs to the candle, so the candle is over one second later. */
const AFTER_END = fromSeconds(1);

interface PlacedCandle {
  readonly candle: ListedCandle;
  readonly place: ImportPlace;
}

async function candlesOf(file: string, context: ImportContext): Promise<PlacedCandle[]> {
  const candles: PlacedCandle[] = [];
  for await (const answers of answersIn(file, context))
    for (const { json, place } of answers) for (const placed of readAnswer(json, place, context)) candles.push(placed);
  return candles;
}

function readAnswer(json: unknown, place: ImportPlace, context: ImportContext): PlacedCandle[] {
  const candles = context.options.wire.readCandles(json, noteListenerAt(place, context));
  return candles.map((candle) => ({ candle, place }));
}

class CandleEmitter {
  readonly #context: ImportContext;
  readonly #quotes: QuoteDecoder;
  /** By market: the total volume so far, and the end of the last candle. */
  readonly #soFar = new Map<MarketIndex, { readonly volume: Qty; readonly endAt: Micros }>();

  constructor(context: ImportContext) {
    this.#context = context;
    this.#quotes = new QuoteDecoder(context, false);
    context.findings.setResolution('duplicate', 'left out');
  }

  emitCandle({ candle, place }: PlacedCandle): void {
    const { options, findings, tickers, clock } = this.#context;
    const ticker = candle.ticker ?? options.ticker;
    if (ticker === undefined)
      throw new ImportFault(place, 'expected the market to be named in the answer or by an option, found neither');
    const market = tickers.internTicker(ticker);
    const { volume: before = NO_QTY, endAt } = this.#soFar.get(market) ?? {};
    if (candle.endAt === endAt)
      return findings.addFinding('duplicate', place, `${ticker}: a second candle that ends at ${endAt}`);
    const volume = addQty(before, candle.volume);
    this.#soFar.set(market, { volume, endAt: candle.endAt });
    const at = clock.dateRow(micros(candle.endAt + AFTER_END), place);
    const { bid, ask, lastPrice, openInterest } = candle;
    this.#context.emitEvent({
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
    this.#quotes.emitQuote({ at, place, ticker, bid, ask });
  }

  finish(): void {
    this.#quotes.finish();
  }
}

async function importCandles(context: ImportContext): Promise<void> {
  const candles: PlacedCandle[] = [];
  for (const file of context.options.files) for (const placed of await candlesOf(file, context)) candles.push(placed);
  for (const _ of candles) context.countRow();
  context.addAssumption('A candle is known one second after its end, with the prices at its end only.');
  context.addAssumption('The best prices at the end of a candle are taken to hold until the end of the next one.');
  context.addAssumption('The volume of a market is the sum of its candles.');
  const emitter = new CandleEmitter(context);
  for (const placed of candles.sort((a, b) => a.candle.endAt - b.candle.endAt)) emitter.emitCandle(placed);
  emitter.finish();
}

export const candlesJson: ImportFormat = {
  name: 'candles-json',
  description: 'candlesticks as the REST API answers them, one answer a file or a line',
  options: ['quoteQty', 'ticker'],
  accepts: ['.json', '.jsonl', '.json.gz', '.jsonl.gz'],
  importFiles: importCandles,
};
