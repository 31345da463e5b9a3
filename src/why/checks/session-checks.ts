// The first ten checks of the decision list: session, halts and market. Each reads what the replayed engine answered.
// Must never decide by a rule of its own.
import { describeDenial } from '../../domain/denial.ts';
import type { MarketStatus } from '../../domain/market.ts';
import type { StrategyName, Ticker } from '../../domain/ids.ts';
import type { Halt } from '../../domain/operator-order.ts';
import { micros } from '../../domain/units.ts';
import { nearestNames } from './near-tickers.ts';
import { Halts } from '../../execution/operator/halts.ts';
import { closingSoon, marketClosure } from '../../risk/rules/market-rules.ts';
import { type Verdict, type WhyMoment, evidenceOf } from '../why-moment.ts';

const pass = (text: string): Verdict => ({ result: 'pass', text });

export function checkSession(moment: WhyMoment): Verdict {
  const { fromUs, toUs, session, end } = moment.session;
  const ending = end === null ? '' : ` (${end})`;
  return pass(`session ${session} ran from ${moment.clock(fromUs)} to ${moment.clock(toUs)}${ending}`);
}

export function checkJournal(moment: WhyMoment): Verdict {
  const { hole, difference } = moment.session;
  if (hole !== null && moment.atUs > hole.afterUs)
    return {
      result: 'fail',
      text: `the journal is damaged after ${moment.clock(hole.afterUs)}: ${hole.text}; what the bot knew then is lost`,
      sinceUs: hole.afterUs,
    };
  return difference === null
    ? pass('the journal is whole, and its replay gives the recorded commands')
    : pass(`the replay gives the recorded commands until ${moment.clock(difference.atUs)}`);
}

export function checkPhase(moment: WhyMoment): Verdict {
  const fact = moment.latest('phase');
  if (fact?.data.phase === 'trading') return pass(`the session was trading since ${moment.clock(fact.atUs)}`);
  const next = moment.nextWhere('phase', {}, ({ phase }) => phase === 'trading');
  const text =
    fact === null
      ? 'the session had not started'
      : `the session was ${fact.data.phase} since ${moment.clock(fact.atUs)} (${fact.data.why}); orders leave only while it is trading`;
  return {
    result: 'fail',
    text,
    sinceUs: fact?.atUs ?? null,
    untilUs: next?.atUs ?? null,
    next: next && `the session was trading: ${next.data.why}`,
    evidence: fact ? [evidenceOf(fact, `phase ${fact.data.phase}: ${fact.data.why}`)] : [],
  };
}

/** Rebuilds the halts in force for the engine's own function. */
function haltsOf(halts: readonly unknown[]): Halts {
  const inForce = new Halts();
  // tidy: as (the schema of the facts has parsed them)
  for (const halt of halts) inForce.addHalt(halt as Halt);
  return inForce;
}

function blockingHalt(moment: WhyMoment, halts: readonly unknown[]): Halt | null {
  // tidy: as (names that the session itself gave)
  return haltsOf(halts).blockingHalt(moment.strategy as StrategyName, moment.ticker as Ticker);
}

export const checkHalt = (moment: WhyMoment): Verdict => haltVerdict(moment, (halt) => !isOwnFault(halt));

/** Fails while the strategy is halted for a fault of its own: it threw or answered wrongly. */
export const checkStrategy = (moment: WhyMoment): Verdict => haltVerdict(moment, isOwnFault);

const isOwnFault = ({ by, scope }: Halt): boolean => by === 'fault' && scope.type === 'strategy';

function haltVerdict(moment: WhyMoment, isMeant: (halt: Halt) => boolean): Verdict {
  const fact = moment.latest('halts');
  const halt = fact && blockingHalt(moment, fact.data.halts);
  if (!fact || !halt || !isMeant(halt))
    return pass(isMeant === isOwnFault ? `${moment.strategy} had not failed` : `nothing halted ${moment.strategy}`);
  const next = moment.nextWhere('halts', {}, ({ halts }) => blockingHalt(moment, halts) === null);
  return {
    result: 'fail',
    text: haltText(moment, halt),
    figures: { by: halt.by, scope: halt.scope.type, reason: halt.reason },
    sinceUs: halt.since,
    untilUs: next?.atUs ?? null,
    next: next && 'it was resumed',
    evidence: [evidenceOf(fact, `halt of the ${halt.scope.type} by ${halt.by}: ${halt.reason}`)],
  };
}

function haltText(moment: WhyMoment, { scope, by, reason, since }: Halt): string {
  const at = moment.clock(since);
  if (by === 'fault' && scope.type === 'strategy')
    return `${scope.strategy} was halted at ${at} because it failed: ${reason}`;
  const what = { account: 'the account', strategy: moment.strategy, market: moment.ticker }[scope.type];
  return `${what} was halted by ${by === 'operator' ? 'the operator' : by} at ${at}: ${reason}`;
}

export function checkMarket(moment: WhyMoment): Verdict {
  const { ticker } = moment;
  const fact = moment.latest('market', { ticker });
  if (fact) return pass(`${ticker} was known: ${fact.data.title}`);
  const next = moment.nextWhere('market', { ticker }, () => true);
  if (next)
    return {
      result: 'fail',
      text: `${ticker} was not known until ${moment.clock(next.atUs)}`,
      untilUs: next.atUs,
      next: `the venue listed it as ${next.data.status}`,
      evidence: [evidenceOf(next, `${ticker} is listed`)],
    };
  const near = nearestNames(ticker, moment.store.tickers());
  return {
    result: 'fail',
    text: `no market ${ticker} was in this session${near.length === 0 ? '' : `; nearest names: ${near.join(', ')}`}`,
  };
}

export function checkSelection(moment: WhyMoment): Verdict {
  const { strategy, ticker, pair } = moment;
  const fact = moment.latest('selection', pair);
  if (fact?.data.isMember) return pass(`${strategy} had ${ticker} since ${moment.clock(fact.atUs)}`);
  const next = moment.nextWhere('selection', pair, ({ isMember }) => isMember);
  const { member = '', text = 'it had not started' } = fact?.data ?? {};
  return {
    result: 'fail',
    text: `${strategy} did not have the market: ${text}`,
    figures: member === '' ? {} : { member },
    sinceUs: fact?.atUs ?? null,
    untilUs: next?.atUs ?? null,
    next: next && `${ticker} joined`,
    evidence: fact ? [evidenceOf(fact, `${ticker} is out of the selector: ${member === '' ? text : member}`)] : [],
  };
}

export function checkStatus(moment: WhyMoment): Verdict {
  const { ticker, strategy, judgedUs } = moment;
  const market = moment.latest('market', { ticker });
  const exchange = moment.latest('exchange');
  if (!market) return pass('its status is unknown');
  // tidy: as (the replayed engine gave it)
  const status = market.data.status as MarketStatus;
  const closed = marketClosure(status, exchange?.data.isTrading ?? true);
  if (closed?.code === 'market-not-open') return closedVerdict(moment, closed.status);
  const guard = moment.latest('limits', { strategy })?.data.closeGuardMs ?? 0;
  const closeAt = micros(market.data.closeAtUs);
  const closing = closingSoon({ closeAt }, micros(judgedUs), guard);
  const leftText = `${ticker} was ${status} and closes at ${moment.clock(closeAt)}`;
  if (closing === null) return pass(leftText);
  return {
    result: 'fail',
    text: `${ticker} was closing: ${describeDenial(closing)}`,
    figures: { closesAt: moment.clock(closeAt), closeGuardMs: String(guard) },
    sinceUs: closeAt - guard * 1000,
    untilUs: closeAt,
    next: 'the market closes',
    evidence: [evidenceOf(market, leftText)],
  };
}

function closedVerdict(moment: WhyMoment, status: string): Verdict {
  const { ticker } = moment;
  const isVenue = status === 'paused by the venue';
  const fact = isVenue
    ? moment.latest('exchange')
    : moment.firstWhere('market', { ticker }, (data) => data.status === status);
  const next = isVenue
    ? moment.nextWhere('exchange', {}, ({ isTrading }) => isTrading)
    : moment.nextWhere('market', { ticker }, (data) => data.status !== status);
  return {
    result: 'fail',
    text: `${ticker} was ${status}${fact ? ` since ${moment.clock(fact.atUs)}` : ''}`,
    figures: { status },
    sinceUs: fact?.atUs ?? null,
    untilUs: next?.atUs ?? null,
    next:
      next && (next.data && 'status' in next.data ? `the market was ${next.data.status}` : 'the venue traded again'),
    evidence: fact ? [evidenceOf(fact, `${ticker} is ${status}`)] : [],
  };
}

export function checkFeed(moment: WhyMoment): Verdict {
  const fact = moment.latest('ready');
  if (!fact || fact.data.fault === null) return pass('the feed was up and the clocks agreed');
  const next = moment.nextWhere('ready', {}, ({ fault }) => fault === null);
  return {
    result: 'fail',
    text: `no order could leave since ${moment.clock(fact.atUs)}: ${fact.data.fault}`,
    sinceUs: fact.atUs,
    untilUs: next?.atUs ?? null,
    next: next && 'orders could leave again',
    evidence: [evidenceOf(fact, fact.data.fault)],
  };
}

export function checkBook(moment: WhyMoment): Verdict {
  const { ticker, pair } = moment;
  const fact = moment.latest('book', { ticker });
  const stale = moment.latest('stale', pair);
  if (fact?.data.trust === 'live' && (stale?.data.text ?? null) === null)
    return pass(`the book of ${ticker} was live since ${moment.clock(fact.atUs)}`);
  if (fact?.data.trust === 'live' && stale) {
    const next = moment.nextWhere('stale', pair, ({ text }) => text === null);
    return {
      result: 'fail',
      text: `the book of ${ticker} was stale since ${moment.clock(stale.atUs)}: ${stale.data.text ?? ''}`,
      sinceUs: stale.atUs,
      untilUs: next?.atUs ?? null,
      next: next && 'the book was confirmed again',
      evidence: [evidenceOf(stale, `the book of ${ticker} is stale`)],
    };
  }
  const next = moment.nextWhere('book', { ticker }, ({ trust }) => trust === 'live');
  const { trust = 'empty', reason = 'no snapshot had come' } = fact?.data ?? {};
  return {
    result: 'fail',
    text: `the book of ${ticker} was ${trust}${fact ? ` since ${moment.clock(fact.atUs)}` : ''}: ${reason}`,
    figures: { trust },
    sinceUs: fact?.atUs ?? null,
    untilUs: next?.atUs ?? null,
    next: next && 'the book was live again',
    evidence: fact ? [evidenceOf(fact, `the book of ${ticker} is ${trust}: ${reason}`)] : [],
  };
}
