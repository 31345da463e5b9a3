// Imports public trades from the venue's own answers: pages fetched one after the other, newest first. Must never hold
// more trades than memory has room for.
import { ImportFault } from './fault.ts';
import { type Answer, answersIn } from './answers.ts';
import { noteAt } from './findings.ts';
import type { Format, Telling } from './importer.ts';
import { type Trade, TradeTeller } from './trades.ts';

/** Pages come newest first, so all trades are held until the oldest is read. */
const TRADES_MAX = 5_000_000;

/** The trades of an answer; those without a time are findings. */
function tradesOf({ json, place }: Answer, { options, findings, count }: Telling): readonly Trade[] {
  return options.wire.trades(json, noteAt(place, findings)).flatMap((trade) => {
    count();
    const { at } = trade;
    if (at !== null) return [{ ...trade, at, place }];
    findings.add('bad-row', place, `expected a time of trade ${trade.tradeId}, found none`);
    return [];
  });
}

/** @throws {ImportFault} when there are more trades than memory has room for. */
function addTrades(trades: Trade[], more: readonly Trade[]): void {
  for (const trade of more) trades.push(trade);
  if (trades.length > TRADES_MAX)
    throw new ImportFault(null, `expected at most ${TRADES_MAX} trades: import parts, and merge their tapes`);
}

async function importTradePages(context: Telling): Promise<void> {
  const trades: Trade[] = [];
  for (const file of context.options.files)
    for await (const answers of answersIn(file, context))
      addTrades(
        trades,
        answers.flatMap((answer) => tradesOf(answer, context)),
      );
  // In pages that begin with the newest, trades of the same time are in reverse order.
  if ((trades[0]?.at ?? 0) > (trades.at(-1)?.at ?? 0)) trades.reverse();
  const emitter = new TradeTeller(context);
  for (const trade of trades.sort((a, b) => a.at - b.at)) emitter.tell(trade);
}

export const tradesJson: Format = {
  name: 'trades-json',
  description: 'public trades as the REST API answers them, one answer a file or a line',
  accepts: ['.json', '.jsonl', '.json.gz', '.jsonl.gz'],
  tell: importTradePages,
};
