// Finds the member of a selector that keeps a market out. Each member is tried alone, by the strategy runner's own
// code. Must never select by a rule of its own.
import { centsText, contractsText, distanceText } from '../../domain/amounts.ts';
import type { Market } from '../../domain/market.ts';
import { NO_QTY } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { StrategyView } from '../../state/strategy-view.ts';
import { MarketSelection } from '../../strategy/market-selection.ts';
import type { MarketSelector } from '../../strategy/strategy-definition.ts';

/** The member that keeps a market out. `text` compares the member with the market. */
export interface KeepingOut {
  readonly member: keyof MarketSelector;
  readonly text: string;
}

const MEMBERS = [
  'tickers',
  'events',
  'series',
  'isExclusive',
  'timeLeftMsMin',
  'timeLeftMsMax',
  'volumeMin',
  'spreadMin',
  'spreadMax',
  'where',
] as const satisfies readonly (keyof MarketSelector)[];

/** The selector of one strategy, tried member by member. */
export class SelectionCheck {
  readonly #parts: readonly { readonly member: keyof MarketSelector; readonly selection: MarketSelection }[];
  readonly #selector: MarketSelector;
  /** True when a condition of the selector changes with time. */
  readonly isDynamic: boolean;

  constructor(selector: MarketSelector) {
    this.#selector = selector;
    this.isDynamic = new MarketSelection(selector).isDynamic;
    this.#parts = MEMBERS.flatMap((member) =>
      selector[member] === undefined
        ? []
        : [{ member, selection: new MarketSelection({ [member]: selector[member] }) }],
    );
  }

  /** The first member that keeps the market out; `null` when none does. */
  memberKeepingOut(market: Market, view: StrategyView, state: State): KeepingOut | null {
    for (const { member, selection } of this.#parts)
      if (!isFit(selection, { market, view, state })) return { member, text: this.#comparison(member, market, view) };
    return null;
  }

  #comparison(member: keyof MarketSelector, market: Market, view: StrategyView): string {
    const wanted = this.#selector;
    switch (member) {
      case 'tickers':
        return `its selector wants tickers ${listText(wanted.tickers)}, the market is ${market.ticker}`;
      case 'events':
        return `its selector wants event groups ${listText(wanted.events)}, the market is of ${market.eventTicker}`;
      case 'series':
        return `its selector wants series ${listText(wanted.series)}, the market is of ${view.group(market.eventTicker)?.seriesTicker ?? 'a group not yet described'}`;
      case 'isExclusive':
        return `its selector wants groups whose outcomes ${wanted.isExclusive ? 'exclude one another' : 'may hold together'}, ${market.eventTicker} is not such a group`;
      case 'timeLeftMsMin':
        return `its selector wants at least ${secondsText(wanted.timeLeftMsMin)} until the close, the market had ${leftText(market, view)}`;
      case 'timeLeftMsMax':
        return `its selector wants at most ${secondsText(wanted.timeLeftMsMax)} until the close, the market had ${leftText(market, view)}`;
      case 'volumeMin':
        return `its selector wants volumeMin ${contractsText(wanted.volumeMin ?? NO_QTY)} contracts, the market had ${volumeText(market, view)}`;
      case 'spreadMin':
        return `its selector wants spreadMin ${distanceText(wanted.spreadMin ?? 0)}, the market had ${spreadText(market, view)}`;
      case 'spreadMax':
        return `its selector wants spreadMax ${distanceText(wanted.spreadMax ?? 0)}, the market had ${spreadText(market, view)}`;
      case 'where':
        return 'the condition `where` of its selector answered no';
    }
  }
}

/** A predicate that throws halts the strategy, so a throw counts as not fitting. */
function isFit(
  selection: MarketSelection,
  { market, view, state }: { readonly market: Market; readonly view: StrategyView; readonly state: State },
): boolean {
  try {
    return selection.coversMarket(market, state.markets) && selection.fitsMarket(market, view, false);
  } catch {
    return false;
  }
}

const LISTED_MAX = 5;
function listText(names: readonly string[] = []): string {
  const rest = names.length - LISTED_MAX;
  return `${names.slice(0, LISTED_MAX).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const secondsText = (ms = 0): string => `${ms / 1000} s`;
const leftText = ({ closeAt }: Market, { now }: StrategyView): string => `${Math.floor((closeAt - now) / 1_000_000)} s`;

function volumeText({ index }: Market, view: StrategyView): string {
  const volume = view.ticker(index)?.volume ?? null;
  return volume === null ? 'an unknown volume' : contractsText(volume);
}

function spreadText({ index }: Market, view: StrategyView): string {
  const { isLive, spread, bestBid, bestAsk } = view.book(index);
  if (!isLive) return 'a book that was not live';
  if (spread !== null) return distanceText(spread);
  return bestBid === null
    ? `no bid${bestAsk === null ? ' and no ask' : ''}`
    : `no ask beside its bid of ${centsText(bestBid)}`;
}
