// The event groups of a sample tape: which opens when, with which markets, grids and prices. Must never depend on anything
// but the seed: the same seed lists the same markets.
import type { GridName } from '../../config/grid-names.ts';
import { type EventTicker, eventTicker, seriesTicker, ticker } from '../../domain/ids.ts';
import type { Strike } from '../../domain/market.ts';
import { type Micros, PAYOUT, contracts, fromSeconds, micros, price } from '../../domain/units.ts';
import type { FlowMarket } from '../../exchange/flow/latent-models.ts';
import { RandomStream } from '../../exchange/flow/random-stream.ts';
import type { GroupDefinition, MarketDefinition, SeriesDefinition } from '../../exchange/machine/exchange-input.ts';
import { namedGrid } from '../../exchange/markets/named-grids.ts';

/** An event group with its markets, and the time at which they are listed. */
export interface SampleGroup {
  readonly at: Micros;
  readonly group: GroupDefinition;
  readonly markets: readonly MarketDefinition[];
  /** The probabilities that the markets begin with. */
  readonly flow: readonly FlowMarket[];
}

/** The time at which every sample tape begins. */
export const SAMPLE_START: Micros = micros(Date.UTC(2026, 0, 5) * 1000);
/** Time between the listings of two event groups: a group settles while others trade. */
const LISTED_EVERY = fromSeconds(240);
const LIFE_MIN = fromSeconds(480);
/** The rest of a life is drawn, up to this much. */
const LIFE_DRAWN = fromSeconds(420);
const SETTLES_AFTER = fromSeconds(5);

interface Shape {
  readonly series: SeriesDefinition;
  readonly gridName: GridName;
  readonly isExclusive: boolean;
  readonly title: string;
  /** The markets' last parts of their tickers, with question and strike. */
  readonly markets: readonly ShapedMarket[];
}

interface ShapedMarket {
  readonly name: string;
  readonly title: string;
  /** The probability before the draw that moves the whole group. */
  readonly share: number;
  readonly strike?: Strike;
}

const seriesOf = (
  name: string,
  described: Pick<SeriesDefinition, 'title' | 'category' | 'feeType'>,
): SeriesDefinition => ({
  ticker: seriesTicker(name),
  ...described,
  frequency: 'custom',
  feeMultiplierPercent: 100,
});

const above = (floor: number, market: Omit<ShapedMarket, 'strike'>): ShapedMarket => ({
  ...market,
  strike: { type: 'greater', floor, cap: null },
});

/** Kinds of event groups. The tape takes them in turn. */
const SHAPES: readonly Shape[] = [
  {
    series: seriesOf('HEAT', { title: 'Highest temperature of the hour', category: 'Weather', feeType: 'quadratic' }),
    gridName: 'deci_cent',
    isExclusive: false,
    title: 'How warm will it get?',
    markets: [
      above(18, { name: 'T18', title: 'Warmer than 18 degrees?', share: 0.68 }),
      above(20, { name: 'T20', title: 'Warmer than 20 degrees?', share: 0.5 }),
      above(22, { name: 'T22', title: 'Warmer than 22 degrees?', share: 0.32 }),
    ],
  },
  {
    series: seriesOf('CUP', { title: 'Matches of the cup', category: 'Sports', feeType: 'quadratic' }),
    gridName: 'linear_cent',
    isExclusive: true,
    title: 'Who wins the match?',
    markets: [
      { name: 'HOME', title: 'Does the home team win?', share: 0.45 },
      { name: 'DRAW', title: 'Does the match end in a draw?', share: 0.25 },
      { name: 'AWAY', title: 'Does the visiting team win?', share: 0.3 },
    ],
  },
  {
    series: seriesOf('RAIN', {
      title: 'Rain within the hour',
      category: 'Weather',
      feeType: 'quadratic_with_maker_fees',
    }),
    gridName: 'linear_cent',
    isExclusive: false,
    title: 'Will it rain?',
    markets: [{ name: 'YES', title: 'Will any rain be measured?', share: 0.5 }],
  },
  {
    series: seriesOf('RATE', { title: 'The rate at the fixing', category: 'Financials', feeType: 'quadratic' }),
    gridName: 'tapered_deci_cent',
    isExclusive: false,
    title: 'Where is the rate at the fixing?',
    markets: [
      {
        name: 'B400',
        title: 'Below 4.00 percent?',
        share: 0.35,
        strike: { type: 'less', floor: null, cap: 4 },
      },
      {
        name: 'M400',
        title: 'From 4.00 to 4.25 percent?',
        share: 0.3,
        strike: { type: 'between', floor: 4, cap: 4.25 },
      },
      above(4.25, { name: 'A425', title: 'Above 4.25 percent?', share: 0.35 }),
    ],
  },
  {
    series: seriesOf('VOTE', { title: 'Votes of the council', category: 'Politics', feeType: 'free' }),
    gridName: 'linear_cent',
    isExclusive: false,
    title: 'Which motions pass?',
    markets: [
      { name: 'ROAD', title: 'Does the motion on the road pass?', share: 0.55 },
      { name: 'PARK', title: 'Does the motion on the park pass?', share: 0.4 },
    ],
  },
];

/** Every series of a sample tape. */
export const SAMPLE_SERIES: readonly SeriesDefinition[] = SHAPES.map(({ series }) => series);

/** Lists the event groups of a tape, in the sequence of their listings. */
export const sampleGroups = (count: number, seed: number): SampleGroup[] =>
  Array.from({ length: count }, (_, number) => sampleGroup(number, seed));

function sampleGroup(number: number, seed: number): SampleGroup {
  const shape = SHAPES[number % SHAPES.length] as Shape; // tidy: as (the remainder is an index of the list)
  const name = eventTicker(`${shape.series.ticker}-${String(number + 1).padStart(3, '0')}`);
  const chance = new RandomStream(seed, `listing/${name}`);
  const at = micros(SAMPLE_START + number * LISTED_EVERY);
  const closeAt = micros(at + LIFE_MIN + Math.round(chance.drawUniform() * LIFE_DRAWN));
  const lean = 0.8 * (chance.drawUniform() - 0.5);
  return {
    at,
    group: groupOf(shape, name, number),
    markets: shape.markets.map((market) => marketOf(shape, { name, market, at, closeAt })),
    flow: shape.markets.map(({ name: part, share, strike }) => ({
      ticker: ticker(`${name}-${part}`),
      probability: price(Math.round(leaning(share, strike?.type === 'less' ? -lean : lean) * PAYOUT)),
    })),
  };
}

/** A probability whose log-odds are moved. */
const leaning = (share: number, by: number): number => 1 / (1 + ((1 - share) / share) * Math.exp(-by));

const groupOf = ({ series, title, isExclusive }: Shape, name: EventTicker, number: number): GroupDefinition => ({
  ticker: name,
  seriesTicker: series.ticker,
  title: `${title} (${number + 1})`,
  subtitle: '',
  isExclusive,
});

interface MarketPlace {
  readonly name: EventTicker;
  readonly market: ShapedMarket;
  readonly at: Micros;
  readonly closeAt: Micros;
}

const marketOf = (
  { gridName }: Shape,
  { name, market: { name: part, title, strike }, at, closeAt }: MarketPlace,
): MarketDefinition => ({
  ticker: ticker(`${name}-${part}`),
  eventTicker: name,
  title,
  yesSubtitle: 'Yes',
  noSubtitle: 'No',
  rules: '',
  gridName,
  gridRanges: namedGrid(gridName).ranges,
  qtyStep: contracts(1),
  openAt: at,
  closeAt,
  canCloseEarly: false,
  settlementDelay: SETTLES_AFTER,
  strike: strike ?? null,
});
