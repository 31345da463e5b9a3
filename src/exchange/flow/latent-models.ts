// Assigns the flow's markets to latent models: an exclusive group, the markets about one number, or one market alone.
// Must never give a market two models.
import type { FlowConfig } from '../../config/exchange-config.ts';
import { must } from '../../base/assert.ts';
import { ticker } from '../../domain/ids.ts';
import { type Price, micros } from '../../domain/units.ts';
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import type { MarketView } from '../machine/exchange-output.ts';
import { type StrikeMarket, UnderlyingModel, fitLine } from './underlying-model.ts';
import { type LatentModel, GroupModel } from './latent-model.ts';

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

/** The latent models of a few markets. The markets of one event group must be in the same call. */
export function latentModelsOf(options: WorldsOptions, markets: readonly FlowMarket[]): LatentModel[] {
  const byGroup = new Map<string, Member[]>();
  for (const { ticker: name, probability } of markets) {
    const view = options.exchange.market(ticker(name));
    if (view === undefined) continue;
    const members = byGroup.get(view.definition.eventTicker) ?? [];
    byGroup.set(view.definition.eventTicker, [...members, { view, probability }]);
  }
  return [...byGroup].flatMap(([name, members]) => worldsOfGroup(options, name, members));
}

function worldsOfGroup(options: WorldsOptions, name: string, members: readonly Member[]): LatentModel[] {
  const isExclusive = options.exchange.group(must(members[0], 'a member').view.definition.eventTicker)?.isExclusive;
  if (isExclusive === true) return [worldOf(options, name, members)];
  const onLine = members.flatMap(({ view, probability }): StrikeMarket[] => {
    const { ticker: market, strike } = view.definition;
    return strike ? [{ ticker: market, strike, probability }] : [];
  });
  // Strike markets whose probabilities fit no line get a model each.
  const isLine = fitLine(onLine) !== null;
  const alone = members.filter(({ view }) => !isLine || !view.definition.strike);
  return [
    ...(isLine ? [lineWorldOf(options, name, { onLine, members })] : []),
    ...alone.map((member) => worldOf(options, member.view.definition.ticker, [member])),
  ];
}

const startOf = (members: readonly Member[]): number => Math.min(...members.map(({ view }) => view.createdAt));

function worldOf({ seed, config, exchange }: WorldsOptions, name: string, members: readonly Member[]): GroupModel {
  const groups = members.map(({ view }) => exchange.group(view.definition.eventTicker));
  return new GroupModel({
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
  { onLine, members }: { onLine: readonly StrikeMarket[]; members: readonly Member[] },
): UnderlyingModel {
  const strikes = members.filter(({ view }) => view.definition.strike);
  // The close as listed: a moved close changes the time of the result, not the path of the number.
  const endAt = micros(Math.max(...strikes.map(({ view }) => view.definition.closeAt)));
  return new UnderlyingModel({ name, seed, config, startAt: micros(startOf(strikes)), endAt, markets: onLine });
}
