// Assigns the flow's markets to latent models: an exclusive group, the markets about one number, or one market alone.
// Must never give a market two models.
import type { FlowConfig } from '../../config/exchange-config.ts';
import { must } from '../../domain/assert.ts';
import { ticker } from '../../domain/ids.ts';
import { type Price, micros } from '../../domain/units.ts';
import type { ExchangeReader } from '../exchange.ts';
import type { MarketView } from '../output.ts';
import { type LineMarket, LineWorld, lineOf } from './line-world.ts';
import { type Truths, World } from './world.ts';

/** A market that the flow trades in, with its initial probability. */
export interface FlowMarket {
  readonly ticker: string;
  readonly probability: Price;
}

interface WorldsOptions {
  readonly seed: number;
  readonly config: FlowConfig;
  readonly exchange: ExchangeReader;
}

interface Member {
  readonly view: MarketView;
  readonly probability: Price;
}

/** The latent models of a few markets. Those of one group must come together. */
export function worldsOf(options: WorldsOptions, markets: readonly FlowMarket[]): Truths[] {
  const byGroup = new Map<string, Member[]>();
  for (const { ticker: name, probability } of markets) {
    const view = options.exchange.market(ticker(name));
    if (view === undefined) continue;
    const members = byGroup.get(view.definition.eventTicker) ?? [];
    byGroup.set(view.definition.eventTicker, [...members, { view, probability }]);
  }
  return [...byGroup].flatMap(([name, members]) => worldsOfGroup(options, name, members));
}

function worldsOfGroup(options: WorldsOptions, name: string, members: readonly Member[]): Truths[] {
  const isExclusive = options.exchange.group(must(members[0], 'a member').view.definition.eventTicker)?.isExclusive;
  if (isExclusive === true) return [worldOf(options, name, members)];
  const onLine = members.flatMap(({ view, probability }): LineMarket[] => {
    const { ticker: market, strike } = view.definition;
    return strike ? [{ ticker: market, strike, probability }] : [];
  });
  // Strike markets whose probabilities fit no line get a model each.
  const isLine = lineOf(onLine) !== null;
  const alone = members.filter(({ view }) => !isLine || !view.definition.strike);
  return [
    ...(isLine ? [lineWorldOf(options, name, { onLine, members })] : []),
    ...alone.map((member) => worldOf(options, member.view.definition.ticker, [member])),
  ];
}

const startOf = (members: readonly Member[]): number => Math.min(...members.map(({ view }) => view.createdAt));

function worldOf({ seed, config, exchange }: WorldsOptions, name: string, members: readonly Member[]): World {
  const groups = members.map(({ view }) => exchange.group(view.definition.eventTicker));
  return new World({
    name,
    seed,
    config,
    isExclusive: groups.some((group) => group?.isExclusive === true),
    startAt: micros(startOf(members)),
    markets: members.map(({ view, probability }) => ({ ticker: view.definition.ticker, probability })),
  });
}

function lineWorldOf(
  { seed, config }: WorldsOptions,
  name: string,
  { onLine, members }: { onLine: readonly LineMarket[]; members: readonly Member[] },
): LineWorld {
  const strikes = members.filter(({ view }) => view.definition.strike);
  // The close as listed: a moved close delays the result but does not change how the number wanders.
  const endAt = micros(Math.max(...strikes.map(({ view }) => view.definition.closeAt)));
  return new LineWorld({ name, seed, config, startAt: micros(startOf(strikes)), endAt, markets: onLine });
}
