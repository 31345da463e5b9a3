// Checks that the markets of a config are listed and open now, and reports whether its event groups are exclusive.
import type { BotConfig } from '../../config/bot-config.ts';
import type { ReadTarget } from '../../domain/venue-command.ts';
import { eventTicker, seriesTicker, ticker } from '../../domain/ids.ts';
import type * as Wire from '../../venues/trade-api/wire/wire-records.ts';
import { type Check, warnCheck, okCheck, namesText, badCheck } from './check-result.ts';
import { type VenueRequests, type CheckSubject, isFailedRead } from './check-subject.ts';

/** The markets found, and the checks of them. */
export interface FoundMarkets {
  readonly checks: readonly Check[];
  readonly markets: readonly Wire.MarketRecord[];
}

type Universe = Pick<BotConfig['markets'], 'tickers' | 'events' | 'series'>;

/** Looks up every market, event group and series of a config. */
export async function checkMarkets(
  subject: CheckSubject,
  requests: VenueRequests,
  universe: Universe,
): Promise<FoundMarkets> {
  const parts: FoundMarkets[] = [];
  for (const name of universe.tickers) parts.push(await checkOne(subject, requests, name));
  for (const name of universe.events) parts.push(await checkEvent(subject, requests, name));
  for (const name of universe.series) parts.push(await checkSeries(subject, requests, name));
  const markets = new Map(parts.flatMap((part) => part.markets.map((market) => [market.ticker, market] as const)));
  return { checks: parts.flatMap(({ checks }) => checks), markets: [...markets.values()] };
}

async function checkOne({ profile }: CheckSubject, requests: VenueRequests, name: string): Promise<FoundMarkets> {
  const found = await requests.readRecord({ what: 'market', ticker: ticker(name) }, profile.records.market);
  if (isFailedRead(found)) return unlisted(`market ${name}`, found.words, 'check markets.tickers');
  return { checks: [openCheck(`market ${name}`, [found.market])], markets: [found.market] };
}

async function checkEvent({ profile }: CheckSubject, requests: VenueRequests, name: string): Promise<FoundMarkets> {
  const target: ReadTarget = { what: 'event', eventTicker: eventTicker(name) };
  const found = await requests.readRecord(target, profile.records.event);
  if (isFailedRead(found)) return unlisted(`event ${name}`, found.words, 'check markets.events');
  const markets = found.markets ?? found.event.markets ?? [];
  const kind = found.event.isExclusive ? 'of one exclusive group' : 'each by itself';
  return { checks: [openCheck(`event ${name}`, markets, kind)], markets };
}

async function checkSeries(
  { profile, now }: CheckSubject,
  requests: VenueRequests,
  name: string,
): Promise<FoundMarkets> {
  const target: ReadTarget = { what: 'events', seriesTicker: seriesTicker(name), closesAfter: now() };
  const found = await requests.readRecord(target, profile.records.events);
  if (isFailedRead(found)) return unlisted(`series ${name}`, found.words, 'check markets.series');
  const markets = found.rows.flatMap((event) => event.markets ?? []);
  return { checks: [openCheck(`series ${name}`, markets)], markets };
}

const unlisted = (name: string, words: string, remedy: string): FoundMarkets => ({
  checks: [badCheck(name, `it is not listed: ${words}`, remedy)],
  markets: [],
});

function openCheck(name: string, markets: readonly Wire.MarketRecord[], kind = ''): Check {
  const tail = kind === '' ? '' : `, ${kind}`;
  if (markets.length === 0) return warnCheck(name, 'no market of it is listed now', 'check if one will be');
  const open = markets.filter(({ status }) => status === 'active');
  if (open.length === 1 && markets.length === 1) return okCheck(name, '1 market, open');
  if (open.length === markets.length) return okCheck(name, `${countText(markets.length)}, all open${tail}`);
  const others = markets
    .filter(({ status }) => status !== 'active')
    .map(({ ticker: each, status }) => `${each} is ${status}`);
  const words = `${open.length} of ${countText(markets.length)} open${tail}: ${namesText(others)}`;
  return open.length > 0 ? okCheck(name, words) : warnCheck(name, words, 'nothing of it can be traded now');
}

const countText = (count: number): string => (count === 1 ? '1 market' : `${count} markets`);
