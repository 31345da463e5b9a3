// Runs all checks of one venue. A check is skipped when another check that it depends on has failed. Must never place
// an order unless orders are requested.
import type { BotConfig } from '../../config/bot-config.ts';
import type { Ticker } from '../../domain/ids.ts';
import type * as Wire from '../../venues/trade-api/wire/wire-records.ts';
import { type SessionBudgets, checkLimits, checkMoney } from './account-checks.ts';
import { type Check, okCheck, skippedCheck, badCheck } from './check-result.ts';
import { type ClockTolerance, type OtherEnvironment, checkReach, checkSignature } from './connection-checks.ts';
import { checkFeed } from './feed-check.ts';
import { checkMarkets } from './market-checks.ts';
import { checkOrder } from './order-check.ts';
import { VenueRequests, type CheckSubject } from './check-subject.ts';

export interface Examination {
  readonly subject: CheckSubject;
  readonly markets: Pick<BotConfig['markets'], 'tickers' | 'events' | 'series'>;
  readonly clock: ClockTolerance;
  readonly budgets: SessionBudgets;
  /** The venue's other environments, to find out whether the key belongs there. */
  readonly others: readonly OtherEnvironment[];
  /** The problem of the key's file; `null` without a problem or without a key. */
  readonly keyProblem: string | null;
  /** A description of the key; `null` without a usable key. */
  readonly keyWords: string | null;
  /** The venue's smallest quantity; `null` when no orders are to be placed. */
  readonly orders: { readonly step: number } | null;
}

/** Runs all checks. */
export async function runChecks(examination: Examination): Promise<Check[]> {
  const { subject, clock } = examination;
  const requests = new VenueRequests(subject);
  const checks = [checkKey(examination)];
  checks.push(...(await checkReach(subject, requests, clock)));
  if (checks.some(({ name, state }) => name === 'reach' && state === 'bad'))
    return [
      ...checks,
      ...['signature', 'limits', 'money', 'markets', 'feed'].map((name) => skippedCheck(name, UNREACHED)),
    ];
  const isKnown = await checkKeyHolder(examination, requests, checks);
  const { checks: listed, markets } = await checkMarkets(subject, requests, examination.markets);
  checks.push(...listed);
  if (isKnown) checks.push(...(await checkMoney(subject, requests, markets)));
  const open = markets.filter(({ status }) => status === 'active');
  if (subject.feed === null) checks.push(skippedCheck('feed', whyNoKey(examination)));
  else if (!isKnown && subject.hasKey && subject.profile.feed.publicFeedNeedsKey)
    checks.push(skippedCheck('feed', 'it needs the key, which was not accepted'));
  else checks.push(...(await checkFeed(subject, { requests, feed: subject.feed, markets: tickersOf(open) })));
  if (examination.orders === null || !isKnown || open.length === 0)
    return [...checks, withoutOrders(examination, isKnown)];
  for (const market of open) checks.push(await checkOrder(subject, requests, { market, ...examination.orders }));
  return checks;
}

const tickersOf = (markets: readonly Wire.MarketRecord[]): Ticker[] => markets.map(({ ticker }) => ticker);

const UNREACHED = 'the venue was not reached';

function withoutOrders({ orders }: Examination, isKnown: boolean): Check {
  if (orders === null) return skippedCheck('orders', 'not requested: --orders places the smallest order there is');
  return skippedCheck(
    'orders',
    isKnown ? 'no market is open to place them in' : 'there is no key that the venue accepts',
  );
}

function checkKey({ keyProblem, keyWords, subject }: Examination): Check {
  if (keyProblem !== null)
    return badCheck('key', keyProblem, 'give venue.key.file the private key, readable by its owner only');
  if (keyWords !== null) return okCheck('key', keyWords);
  if (!subject.profile.feed.publicFeedNeedsKey)
    return skippedCheck('key', 'the config has none: a session would only watch');
  return badCheck('key', 'the config has none, and here even watching needs one', 'give the config a venue.key');
}

const whyNoKey = ({ keyProblem }: Examination): string =>
  keyProblem === null ? 'there is no key to sign with' : 'the key cannot be used';

/** Checks the key's signature and the account's rate limits. Returns true when the venue accepts the key. */
async function checkKeyHolder(examination: Examination, requests: VenueRequests, checks: Check[]): Promise<boolean> {
  const { subject, others, budgets } = examination;
  if (!subject.hasKey) {
    checks.push(...['signature', 'limits', 'money'].map((name) => skippedCheck(name, whyNoKey(examination))));
    return false;
  }
  const signature = await checkSignature(subject, requests, others);
  checks.push(signature);
  if (signature.state === 'bad') {
    checks.push(...['limits', 'money'].map((name) => skippedCheck(name, 'the key was not accepted')));
    return false;
  }
  checks.push(await checkLimits(subject, requests, budgets));
  return true;
}
