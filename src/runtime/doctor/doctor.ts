// The whole examination, in order: what later checks need comes first, and what cannot be looked at is said to be skipped.
// Must never place an order unless it was told to.
import type { BotConfig } from '../../config/bot-config.ts';
import type { Ticker } from '../../domain/ids.ts';
import type * as Wire from '../../venues/trade-api/wire/records.ts';
import { type Budgets, checkLimits, checkMoney } from './account-checks.ts';
import { type Check, fine, skipped, wrong } from './check.ts';
import { type ClockBounds, type OtherWorld, checkReach, checkSignature } from './connection-checks.ts';
import { checkFeed } from './feed-check.ts';
import { checkMarkets } from './market-checks.ts';
import { checkOrder } from './order-check.ts';
import { Asker, type Patient } from './patient.ts';

export interface Examination {
  readonly patient: Patient;
  readonly markets: Pick<BotConfig['markets'], 'tickers' | 'events' | 'series'>;
  readonly clock: ClockBounds;
  /** What a session would keep to, its share taken. */
  readonly budgets: Budgets;
  /** The venue's other worlds, to see whether the key is of one of them. */
  readonly others: readonly OtherWorld[];
  /** What is wrong with the key's file; `null` when nothing is, or there is none. */
  readonly keyProblem: string | null;
  /** What the key is, in words; `null` when there is none. */
  readonly keyWords: string | null;
  /** Whether orders are placed too, and the venue's smallest quantity. */
  readonly orders: { readonly step: number } | null;
}

/** Looks at everything. */
export async function examine(examination: Examination): Promise<Check[]> {
  const { patient, clock } = examination;
  const asker = new Asker(patient);
  const checks = [checkKey(examination)];
  checks.push(...(await checkReach(patient, asker, clock)));
  if (checks.some(({ name, state }) => name === 'reach' && state === 'bad'))
    return [...checks, ...['signature', 'limits', 'money', 'markets', 'feed'].map((name) => skipped(name, UNREACHED))];
  const isKnown = await checkHolder(examination, asker, checks);
  const { checks: listed, markets } = await checkMarkets(patient, asker, examination.markets);
  checks.push(...listed);
  if (isKnown) checks.push(...(await checkMoney(patient, asker, markets)));
  const open = markets.filter(({ status }) => status === 'active');
  if (patient.feed === null) checks.push(skipped('feed', whyNoKey(examination)));
  else if (!isKnown && patient.hasKey && patient.profile.feed.publicFeedNeedsKey)
    checks.push(skipped('feed', 'it wants the key, which was not taken'));
  else checks.push(...(await checkFeed(patient, { asker, feed: patient.feed, markets: tickersOf(open) })));
  if (examination.orders === null || !isKnown || open.length === 0)
    return [...checks, withoutOrders(examination, isKnown)];
  for (const market of open) checks.push(await checkOrder(patient, asker, { market, ...examination.orders }));
  return checks;
}

const tickersOf = (markets: readonly Wire.MarketRecord[]): Ticker[] => markets.map(({ ticker }) => ticker);

const UNREACHED = 'the venue was not reached';

function withoutOrders({ orders }: Examination, isKnown: boolean): Check {
  if (orders === null) return skipped('orders', 'not asked for: --orders places the smallest there is');
  return skipped('orders', isKnown ? 'no market is open to place them in' : 'there is no key that the venue takes');
}

function checkKey({ keyProblem, keyWords, patient }: Examination): Check {
  if (keyProblem !== null) return wrong('key', keyProblem, 'give venue.key.file the private half, for its owner alone');
  if (keyWords !== null) return fine('key', keyWords);
  if (!patient.profile.feed.publicFeedNeedsKey)
    return skipped('key', 'the config has none: a session would only watch');
  return wrong('key', 'the config has none, and even watching needs one here', 'give the config a venue.key');
}

const whyNoKey = ({ keyProblem }: Examination): string =>
  keyProblem === null ? 'there is no key to sign with' : 'the key cannot be used';

/** Whether the venue knows whose key it is; with what the account may do. */
async function checkHolder(examination: Examination, asker: Asker, checks: Check[]): Promise<boolean> {
  const { patient, others, budgets } = examination;
  if (!patient.hasKey) {
    checks.push(...['signature', 'limits', 'money'].map((name) => skipped(name, whyNoKey(examination))));
    return false;
  }
  const signature = await checkSignature(patient, asker, others);
  checks.push(signature);
  if (signature.state === 'bad') {
    checks.push(...['limits', 'money'].map((name) => skipped(name, 'the key was not taken')));
    return false;
  }
  checks.push(await checkLimits(patient, asker, budgets));
  return true;
}
