// Splits the profit of trades and positions into its parts, to the last millionth. A half is rounded down in one part,
// and so up in the next. Must never derive a part from the account's figures: the rest is `unexplained`, set by
// `statement.ts`.
import { valueOf } from '../../domain/position.ts';
import { type Price, type Qty, mulDivFloor } from '../../domain/units.ts';
import type { ProfitSplit } from './report.ts';
import type { FillsNote, MarketNote, RunRecord } from '../record/run-record.ts';

export const NO_SPLIT: ProfitSplit = {
  spread: 0,
  adverse: 0,
  settlement: 0,
  marked: 0,
  unsplit: 0,
  carried: 0,
  fees: 0,
  unexplained: 0,
  profit: 0,
};

/** Halves a sum, rounded down to a whole millionth. */
export const halved = (doubled: number): number => mulDivFloor(doubled, 1, 2);

/** True when a market has paid, or its payout is known. */
export const isSettledNote = ({ settlementValue }: MarketNote): boolean => settlementValue !== null;

/** Splits the profit of trades in one market, from their price to the market's final value, less fees. */
export function splitOfFills(sum: FillsNote, market: MarketNote): ProfitSplit {
  const { known } = sum;
  const spread = halved(known.mid2 - 2 * known.paid);
  const adverse = halved(sum.after1m.moved2);
  const rest = known.net * market.mark - known.paid - spread - adverse;
  const unsplit = (sum.net - known.net) * market.mark - (sum.paid - known.paid);
  const isSettled = isSettledNote(market);
  return addUp({
    ...NO_SPLIT,
    spread,
    adverse,
    settlement: isSettled ? rest : 0,
    marked: isSettled ? 0 : rest,
    unsplit,
    fees: 0 - sum.fees,
  });
}

/** Profit of a position from before the run. */
export const heldBeforeSplit = ({ openingHeld, openingMark, mark }: MarketNote): ProfitSplit =>
  addUp({ ...NO_SPLIT, carried: openingHeld * (mark - openingMark) });

/** Adds two splits. */
export function addSplits(a: ProfitSplit, b: ProfitSplit): ProfitSplit {
  return addUp({
    spread: a.spread + b.spread,
    adverse: a.adverse + b.adverse,
    settlement: a.settlement + b.settlement,
    marked: a.marked + b.marked,
    unsplit: a.unsplit + b.unsplit,
    carried: a.carried + b.carried,
    fees: a.fees + b.fees,
    unexplained: a.unexplained + b.unexplained,
    profit: 0,
  });
}

/** Replaces -0 by 0: a report then equals its copy read back from JSON. */
function addUp(parts: ProfitSplit): ProfitSplit {
  const { spread, adverse, settlement, marked, unsplit, carried, fees, unexplained } = parts;
  return {
    spread: spread + 0,
    adverse: adverse + 0,
    settlement: settlement + 0,
    marked: marked + 0,
    unsplit: unsplit + 0,
    carried: carried + 0,
    fees: fees + 0,
    unexplained: unexplained + 0,
    profit: spread + adverse + settlement + marked + unsplit + carried + fees + unexplained + 0,
  };
}

/** Equity at both ends of a run: cash plus the value of the positions. */
export function equities(record: RunRecord): { readonly opening: number; readonly closing: number } {
  let opening = record.openingCash;
  let closing = record.closingCash;
  for (const { openingHeld, openingMark, held, mark } of record.markets) {
    opening += valueOf(openingHeld as Qty, openingMark as Price);
    closing += valueOf(held as Qty, mark as Price);
  }
  return { opening, closing };
}
