// Imports public trades from the venue's own answers: pages fetched one after another, newest first. Must never hold
// more than `TRADES_MAX` trades.
import { ImportFault } from '../import-fault.ts';
import { type FileAnswer, answersIn } from '../rows/venue-answers.ts';
import { noteListenerAt } from '../import-findings.ts';
import type { ImportFormat, ImportContext } from '../import-format.ts';
import { type Trade, TradeDecoder } from './trade-files.ts';

/** Most trades. Pages come newest first, so all trades are held until the oldest is read. */
const TRADES_MAX = 5_000_000;

/** Returns the trades of an answer. A trade without a time is a finding. */
function tradesOf({ json, place }: FileAnswer, context: ImportContext): readonly Trade[] {
  const { options, findings, countRow } = context;
  return options.wire.readTrades(json, noteListenerAt(place, context)).flatMap((trade) => {
    countRow();
    const { at } = trade;
    if (at !== null) return [{ ...trade, at, place }];
    findings.addFinding('bad-row', place, `expected a time of trade ${trade.tradeId}, found none`);
    return [];
  });
}

/** @throws {ImportFault} when there are more than `TRADES_MAX` trades. */
function addTrades(trades: Trade[], more: readonly Trade[]): void {
  for (const trade of more) trades.push(trade);
  if (trades.length > TRADES_MAX)
    throw new ImportFault(null, `expected at most ${TRADES_MAX} trades: import parts, and merge their tapes`);
}

async function importTradePages(context: ImportContext): Promise<void> {
  const trades: Trade[] = [];
  for (const file of context.options.files)
    for await (const answers of answersIn(file, context))
      addTrades(
        trades,
        answers.flatMap((answer) => tradesOf(answer, context)),
      );
  // When the newest trade is first, trades of the same time are in reverse, too.
  if ((trades[0]?.at ?? 0) > (trades.at(-1)?.at ?? 0)) trades.reverse();
  const emitter = new TradeDecoder(context);
  for (const trade of trades.sort((a, b) => a.at - b.at)) emitter.emitTrade(trade);
}

export const tradesJson: ImportFormat = {
  name: 'trades-json',
  description: 'public trades as the REST API answers them, one answer a file or a line',
  options: ['duplicates'],
  accepts: ['.json', '.jsonl', '.json.gz', '.jsonl.gz'],
  importFiles: importTradePages,
};
