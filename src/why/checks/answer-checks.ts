// The last nine checks of the decision list: the strategy's answer, and the order that came from it. Must never decide
// by a rule of its own.
import { centsText, dollarsText } from '../../domain/amounts.ts';
import { money, price } from '../../domain/units.ts';
import { storedQtyText } from '../order-log.ts';
import type { Asked, Fact, OrderData } from '../why-facts.ts';
import { type Verdict, type WhyMoment, evidenceOf } from '../why-moment.ts';

/** After this time without a call, nothing had changed. Microseconds. */
const QUIET = 5_000_000;

const pass = (text: string): Verdict => ({ result: 'pass', text });

/** The last call about the market or by a timer. */
function lastCall({ store, strategy, ticker, endUs }: WhyMoment): Asked | null {
  const [own, any] = [store.latestCall({ strategy, ticker }, endUs), store.latestCall({ strategy }, endUs)];
  return own === null || (any !== null && any.atUs > own.atUs) ? any : own;
}

/** True when the last call came after the last answer about the market. */
function isSilent(moment: WhyMoment): boolean {
  const { attempt } = moment;
  const call = lastCall(moment);
  if (attempt === null) return true;
  if (attempt.data.outcome === 'sent' && attempt.atUs >= moment.atUs) return false;
  return call !== null && call.seq > attempt.seq && call.atUs > attempt.data.lastAtUs;
}

/** The strategy's orders that rest in the market at the end of the asked time. */
function restingOrders({ store, pair, endUs }: WhyMoment): readonly Fact<'order'>[] {
  const seen = new Set<string>();
  const resting: Fact<'order'>[] = [];
  for (const fact of store.factsBackwards('order', pair, { toUs: endUs })) {
    if (seen.has(fact.order)) continue;
    seen.add(fact.order);
    if (RESTING.has(fact.data.to)) resting.push(fact);
  }
  return resting;
}

const RESTING: ReadonlySet<string> = new Set(['working', 'pending-amend', 'pending-cancel']);

export function checkAsked(moment: WhyMoment): Verdict {
  const { strategy, ticker, atUs } = moment;
  const call = lastCall(moment);
  if (call === null && moment.attempt === null)
    return {
      result: 'fail',
      text: `nothing had changed in ${ticker} yet, so ${strategy} had never been called about it`,
    };
  if (call === null) return pass(`${strategy} had answered before`);
  if (!isSilent(moment) || atUs - call.atUs < QUIET || restingOrders(moment).length > 0)
    return pass(`${strategy} was called at ${moment.clock(call.atUs)}${touchText(call)}`);
  return {
    result: 'fail',
    text: `the touch of ${ticker} had not changed since ${moment.clock(call.atUs)}, so ${strategy} was not called; it had answered nothing then`,
    sinceUs: call.atUs,
    evidence: [evidenceOf(call, `${strategy} is called${touchText(call)}`)],
  };
}

const touchText = ({ bid, ask }: Asked): string =>
  bid === null && ask === null ? '' : ` with bid ${priceText(bid)}, ask ${priceText(ask)}`;

const priceText = (stored: number | null): string => (stored === null ? 'none' : centsText(price(stored)));

export function checkAnswer(moment: WhyMoment): Verdict {
  const { strategy, attempt } = moment;
  const call = lastCall(moment);
  if (attempt !== null && !isSilent(moment) && attempt.data.outcome !== 'none')
    return pass(`${strategy} answered at ${answerText(moment, attempt)}`);
  const resting = restingOrders(moment);
  if (resting.length > 0) return pass(`${strategy} answered nothing new, and its orders rested`);
  if (attempt !== null && !isSilent(moment)) return unwanted(moment, attempt);
  return call === null ? pass(`${strategy} was not called`) : silence(moment, call);
}

/**
 * An answer with its time, and the time of the last equal one by the end of the asked time. Must not depend on what
 * followed: the last of all equal answers may be later than the asked time.
 */
function answerText(moment: WhyMoment, attempt: Fact<'attempt'>): string {
  const first = `${moment.clock(attempt.atUs)}: ${attempt.data.text}${reasonOf(attempt)}`;
  const call = lastCall(moment);
  const isRepeated =
    attempt.data.outcome !== 'sent' && call !== null && call.atUs > attempt.atUs && call.atUs <= attempt.data.lastAtUs;
  return isRepeated ? `${first}; its answer at ${moment.clock(call.atUs)} had the same outcome` : first;
}

function unwanted(moment: WhyMoment, attempt: Fact<'attempt'>): Verdict {
  return {
    result: 'fail',
    text: `${moment.strategy} wanted no order at ${answerText(moment, attempt)}`,
    ...runOf(moment, attempt),
  };
}

function silence(moment: WhyMoment, call: Asked): Verdict {
  const { strategy, attempt, pair, store } = moment;
  const [first, times] = silentCalls(moment);
  const next = store.nextFact('attempt', pair, moment.endUs);
  const last =
    attempt === null
      ? ''
      : `; its last answer was at ${moment.clock(attempt.data.lastAtUs)}: ${attempt.data.lastText}${reasonOf(attempt)}`;
  return {
    result: 'fail',
    text: `${strategy} was called at ${moment.clock(call.atUs)}${touchText(call)} and answered nothing${last}`,
    figures: { bid: priceText(call.bid), ask: priceText(call.ask) },
    sinceUs: first.atUs,
    times,
    untilUs: next?.atUs ?? null,
    next: next && `it answered: ${next.data.text}`,
    evidence: [evidenceOf(call, `${strategy} is called${touchText(call)}`)],
  };
}

const CALLS_MAX = 100_000;

/** The first call without an answer, and the number of such calls. */
function silentCalls(moment: WhyMoment): readonly [{ readonly atUs: number }, number] {
  const { store, attempt, endUs, strategy, ticker } = moment;
  let [first, times] = [{ atUs: endUs }, 0];
  for (const call of store.callsBackwards({ strategy, ticker }, endUs)) {
    if (times >= CALLS_MAX || (attempt !== null && call.atUs <= attempt.data.lastAtUs)) break;
    first = call;
    times += 1;
  }
  return [first, Math.max(times, 1)];
}

const reasonOf = ({ data: { reason } }: Fact<'attempt'>): string => (reason === '' ? '' : ` (${reason})`);

/** The beginning of the repeated outcome, its end, and the number of repetitions. */
function runOf(moment: WhyMoment, attempt: Fact<'attempt'>): Pick<Verdict, 'sinceUs' | 'times' | 'untilUs' | 'next'> {
  const { store, pair } = moment;
  let [sinceUs, times] = [attempt.atUs, 0];
  const isSame = ({ outcome, code }: Fact<'attempt'>['data']): boolean =>
    outcome === attempt.data.outcome && code === attempt.data.code;
  for (const fact of store.factsBackwards('attempt', pair, { toUs: attempt.atUs })) {
    if (!isSame(fact.data)) break;
    sinceUs = fact.atUs;
    times += fact.data.count;
  }
  const next = moment.nextWhere('attempt', pair, (data) => !isSame(data));
  return {
    sinceUs,
    times,
    untilUs: next?.atUs ?? null,
    next: next && `${OUTCOMES[next.data.outcome]}: ${next.data.text}`,
  };
}

const OUTCOMES = {
  denied: 'it was denied',
  sent: 'it was approved',
  unchanged: 'its orders rested',
  none: 'it wanted no order',
} as const;

export function checkChange(moment: WhyMoment): Verdict {
  const { strategy, attempt } = moment;
  const resting = restingOrders(moment);
  const isUnchanged = attempt?.data.outcome === 'unchanged' && !isSilent(moment);
  if (!isUnchanged && !(isSilent(moment) && resting.length > 0))
    return pass(`the answer of ${strategy} asked for a change`);
  const orders = resting.map(
    ({ data }) => `${data.side} ${storedQtyText(data.qty - data.filledQty)} at ${priceText(data.price)}`,
  );
  const oldest = resting.at(-1);
  return {
    result: 'fail',
    text: `its orders already rested: ${orders.length === 0 ? (attempt?.data.text ?? '') : orders.join(', ')}`,
    ...(attempt && isUnchanged ? runOf(moment, attempt) : { sinceUs: oldest?.atUs ?? null }),
    evidence: resting.map((fact) => evidenceOf(fact, `order ${fact.order} rests`)),
  };
}

export function checkDenial(moment: WhyMoment): Verdict {
  const { attempt } = moment;
  if (attempt?.data.outcome !== 'denied') return pass('risk denied nothing');
  return {
    result: 'fail',
    text: attempt.data.text,
    figures: { code: attempt.data.code },
    ...runOf(moment, attempt),
    evidence: [evidenceOf(attempt, attempt.data.text)],
  };
}

/** An approved order, with its state at the end of the asked time. */
interface OrderOfAnswer {
  readonly id: string;
  readonly state: Fact<'order'> | null;
  readonly wait: Fact<'wait'> | null;
  readonly fills: readonly Fact<'fill'>[];
}

/** The approved orders: orders with fills first, then the other orders that were sent. */
function ordersOf({ store, attempt, endUs }: WhyMoment): readonly OrderOfAnswer[] {
  const orders = (attempt?.data.orders ?? []).map((id) => ({
    id,
    state: store.orderFacts('order', id, endUs).at(-1) ?? null,
    wait: store.orderFacts('wait', id, endUs)[0] ?? null,
    fills: store.orderFacts('fill', id, endUs),
  }));
  return orders.toSorted((a, b) => rankOf(b) - rankOf(a));
}

const rankOf = ({ state, fills }: OrderOfAnswer): number =>
  fills.length > 0 ? 3 : state === null ? 0 : DEAD.has(state.data.to) ? 1 : 2;
const DEAD: ReadonlySet<string> = new Set(['not-sent', 'rejected', 'queued']);

function laneText({ data: { need, available, lane, capacity } }: Fact<'wait'>): string {
  return `lane ${lane}: ${need} units needed, ${available} of ${capacity} available beside the reserve for cancels`;
}

/** The change of the order's state after the asked time. */
function fateOf(moment: WhyMoment, { id, state }: OrderOfAnswer): Pick<Verdict, 'untilUs' | 'next'> {
  const later = moment.store
    .orderFacts('order', id, Number.MAX_SAFE_INTEGER)
    .find(({ atUs, data }) => atUs > moment.endUs && data.to !== state?.data.to);
  return { untilUs: later?.atUs ?? null, next: later ? `the order was ${later.data.to}: ${later.data.why}` : null };
}

export function checkLane(moment: WhyMoment): Verdict {
  const { attempt } = moment;
  const [order] = ordersOf(moment);
  if (!attempt || !order) return pass('no order was made');
  const { state, wait } = order;
  const evidence = [evidenceOf(attempt, `${attempt.data.text}: order ${order.id}`)];
  if (state === null || state.data.to === 'queued') {
    const ms = Math.floor((moment.endUs - attempt.atUs) / 1000);
    const why = wait ? `; ${laneText(wait)}` : '';
    const text = `${attempt.data.text} waited ${ms} ms for the rate budget${why}`;
    return {
      result: 'fail',
      text,
      figures: waitFigures(wait),
      sinceUs: attempt.atUs,
      ...fateOf(moment, order),
      evidence,
    };
  }
  if (state.data.to !== 'not-sent' || !LATE.test(state.data.why))
    return pass(wait ? `it waited in ${laneText(wait)}` : 'it did not wait');
  const ms = Math.floor((state.atUs - attempt.atUs) / 1000);
  return {
    result: 'fail',
    text: `${attempt.data.text} was not sent in time: it was dropped after ${ms} ms (${state.data.why})${wait ? `; ${laneText(wait)}` : ''}`,
    figures: { ...waitFigures(wait), waitedMs: String(ms) },
    sinceUs: attempt.atUs,
    ...fateOf(moment, order),
    evidence: [...evidence, evidenceOf(state, `order ${order.id} is dropped: ${state.data.why}`)],
  };
}

/** The planner drops orders for these reasons. */
const LATE = /^too (late|many) /;

const waitFigures = (wait: Fact<'wait'> | null): Record<string, string> =>
  wait === null ? {} : { need: String(wait.data.need), available: String(wait.data.available), lane: wait.data.lane };

export function checkLatch(moment: WhyMoment): Verdict {
  const [order] = ordersOf(moment);
  const state = order?.state;
  if (!order || !state || state.data.to !== 'not-sent') return pass('the order left');
  return {
    result: 'fail',
    text: `${moment.attempt?.data.text ?? 'its order'} was made and not sent: ${state.data.why}`,
    sinceUs: state.atUs,
    ...fateOf(moment, order),
    evidence: [evidenceOf(state, `order ${order.id} is not sent: ${state.data.why}`)],
  };
}

export function checkVenue(moment: WhyMoment): Verdict {
  const [order] = ordersOf(moment);
  const state = order?.state;
  if (!order || !state) return pass('the venue received nothing');
  const { to, why } = state.data;
  if (to !== 'rejected' && to !== 'unknown') return pass(`the venue took it: it was ${to}`);
  const what = moment.attempt?.data.text ?? 'its order';
  const text =
    to === 'rejected'
      ? `the venue refused ${what}: ${why}`
      : `the answer to ${what} never came (${why}), so its state was unknown`;
  return {
    result: 'fail',
    text,
    figures: { order: order.id },
    sinceUs: state.atUs,
    ...fateOf(moment, order),
    evidence: [evidenceOf(state, `order ${order.id} is ${to}: ${why}`)],
  };
}

function sentText(moment: WhyMoment, data: OrderData): string {
  return `${data.side} ${storedQtyText(data.qty)} of ${moment.ticker} at ${priceText(data.price)}`;
}

export function checkRest(moment: WhyMoment): Verdict {
  const { attempt, atUs } = moment;
  const [order] = ordersOf(moment);
  const state = order?.state;
  if (!attempt || !order || !state) return pass('nothing rested');
  if (order.fills.length > 0) return pass('it was filled');
  const { ahead } =
    moment.store.orderFacts('order', order.id, moment.endUs).find(({ data }) => data.to === 'working')?.data ?? {};
  const queue = ahead === null || ahead === undefined ? '' : ` with ${storedQtyText(ahead)} contracts before it`;
  const text = `${sentText(moment, state.data)} was ${state.data.to} from ${moment.clock(state.atUs)}${queue}; ${storedQtyText(state.data.traded)} had traded at its price`;
  const isInWindow = attempt.atUs >= atUs;
  return {
    result: isInWindow ? 'traded' : 'fail',
    text: isInWindow ? text : `its order of ${moment.clock(attempt.atUs)} decided: ${text}`,
    sinceUs: attempt.atUs,
    ...fateOf(moment, order),
    evidence: [
      evidenceOf(attempt, `order ${order.id} is approved`),
      evidenceOf(state, `order ${order.id} is ${state.data.to}`),
    ],
  };
}

export function checkFill(moment: WhyMoment): Verdict {
  const { attempt, atUs } = moment;
  const [order] = ordersOf(moment);
  if (!attempt || !order) return { result: 'fail', text: 'it sent no order' };
  const { fills } = order;
  const parts = fills.map(
    (fill) =>
      `${fill.data.side === 'buy' ? 'bought' : 'sold'} ${storedQtyText(fill.data.qty)} at ${priceText(fill.data.price)} (fee ${dollarsText(money(fill.data.feeMicros))}), ${Math.floor((fill.atUs - attempt.atUs) / 1000)} ms after its cause`,
  );
  const isInWindow = attempt.atUs >= atUs;
  return {
    result: isInWindow ? 'traded' : 'fail',
    text: `${isInWindow ? 'it' : `its last order, of ${moment.clock(attempt.atUs)},`} ${parts.join(', ') || 'was filled'}`,
    sinceUs: attempt.atUs,
    evidence: [
      evidenceOf(attempt, `order ${order.id} is approved`),
      ...fills.map((fill) => evidenceOf(fill, `fill of ${order.id}`)),
    ],
  };
}
