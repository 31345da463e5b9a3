// Builds the story of an order, from its cause to its last fill. Must never leave out a state.
import { centsText, dollarsText } from '../domain/amounts.ts';
import { type OrderState, isFinished } from '../domain/orders/order.ts';
import { money, price } from '../domain/units.ts';
import type { FactStore } from './fact-store.ts';
import { nearestNames } from './checks/near-tickers.ts';
import { storedQtyText } from './order-log.ts';
import type { WhyOrder } from './why-answer.ts';
import { WhyFault } from './why-fault.ts';
import type { Fact, FactData, SessionFacts } from './why-facts.ts';
import { isoText } from './why-moment.ts';

type Hop = WhyOrder['hops'][number];
type LooseHop = Omit<Hop, 'afterUs'>;

/**
 * Follows an order.
 * @throws {WhyFault} when the session has no such order.
 */
export function orderChain(store: FactStore, order: string, startedAt: number): WhyOrder {
  const approved = store.orderFacts('approved', order, Number.MAX_SAFE_INTEGER)[0];
  const session = store.sessionFacts();
  if (session === null) throw new WhyFault('the session has no facts');
  // The terms of the replay may differ from those that were sent.
  const sent = store.orderFacts('sent', order, Number.MAX_SAFE_INTEGER)[0];
  if (sent) return recordedOrder(sent, session, startedAt);
  if (!approved) {
    const near = nearestNames(order, store.orderIds());
    throw new WhyFault(
      `order: session ${session.session} has no order ${JSON.stringify(order)}${near.length === 0 ? ': it sent none' : `; nearest ids: ${near.join(', ')}`}`,
    );
  }
  const hops = [...causeHops(store, approved), ...lifeHops(store, order)];
  const { strategy, ticker } = approved;
  return {
    session: session.session,
    clientOrderId: order,
    strategy,
    ticker,
    sentence: sentenceOf(store, approved, session),
    hops: withPauses(hops),
    source: session.difference === null || approved.atUs < session.difference.atUs ? 'replay' : 'record',
    tookMs: Math.round(performance.now() - startedAt),
  };
}

/** Adds the time since the hop before to each hop. */
const withPauses = (hops: readonly LooseHop[]): Hop[] =>
  hops.map((hop, place) => ({ ...hop, afterUs: place === 0 ? null : hop.atUs - (hops[place - 1]?.atUs ?? 0) }));

/** The story of an order that left after the replay had differed: its command is all that is known. */
function recordedOrder(sent: Fact<'sent'>, session: SessionFacts, startedAt: number): WhyOrder {
  const { order, strategy, ticker, atUs, seq, data } = sent;
  const { difference } = session;
  const hops = [
    ...(difference === null ? [] : [{ ...difference, what: 'difference' }]),
    { atUs, what: 'sent', text: `the journal has its order to ${termsText(data)}`, seq },
  ];
  const since = difference === null ? '' : ` since ${isoText(difference.atUs)}`;
  return {
    session: session.session,
    clientOrderId: order,
    strategy,
    ticker,
    sentence: `${strategy} sent an order to ${termsText(data)} in ${ticker}; the replay differs from the journal${since}, so its reason is not known; \`presage orders\` shows its later states.`,
    hops: withPauses(hops),
    source: 'record',
    tookMs: Math.round(performance.now() - startedAt),
  };
}

const termsText = ({ side, qty, price: stored }: FactData<'sent'>): string =>
  `${side} ${storedQtyText(qty)} at ${centsText(price(stored))}`;

function causeHops(store: FactStore, approved: Fact<'approved'>): LooseHop[] {
  const { strategy, ticker, atUs, seq, data } = approved;
  const call = [store.latestCall({ strategy, ticker }, atUs), store.latestCall({ strategy }, atUs)].find(
    (each) => each !== null && each.seq === seq,
  );
  const touch =
    call && (call.bid !== null || call.ask !== null)
      ? ` with bid ${call.bid === null ? 'none' : centsText(price(call.bid))}, ask ${call.ask === null ? 'none' : centsText(price(call.ask))}`
      : '';
  return [
    { atUs, what: 'cause', text: `entry ${seq} of the journal made ${strategy} answer about ${ticker}${touch}`, seq },
    {
      atUs,
      what: 'intent',
      text: `${strategy} wanted to ${termsText(data)} (${data.terms})${data.reason === '' ? '' : `: ${data.reason}`}`,
      seq,
    },
    { atUs, what: 'risk', text: 'every limit allowed it', seq },
  ];
}

function lifeHops(store: FactStore, order: string): LooseHop[] {
  return store.factsOfOrder(order).flatMap((fact): LooseHop[] => {
    const { atUs, seq } = fact;
    if (fact.kind === 'wait') return [{ atUs, seq, what: 'wait', text: waitText(fact.data) }];
    if (fact.kind === 'order') return [{ atUs, seq, what: fact.data.to, text: stateText(fact.data) }];
    return fact.kind === 'fill' ? [{ atUs, seq, what: 'fill', text: fillText(fact.data) }] : [];
  });
}

const waitText = ({ lane, need, available, capacity }: FactData<'wait'>): string =>
  `it waited in lane ${lane}: ${need} units needed, ${available} of ${capacity} available`;

function stateText({ from, to, why, ahead, traded }: FactData<'order'>): string {
  const queue = ahead === null ? '' : `, ${storedQtyText(ahead)} contracts before it`;
  const prints = traded > 0 ? `, ${storedQtyText(traded)} traded at its price` : '';
  return `${from} -> ${to}: ${why}${queue}${prints}`;
}

function fillText({ side, qty, price: stored, isTaker, feeMicros, positionQty }: FactData<'fill'>): string {
  const deal = `${side === 'buy' ? 'bought' : 'sold'} ${storedQtyText(qty)} at ${centsText(price(stored))}`;
  const fee = dollarsText(money(feeMicros));
  return `${deal} as ${isTaker ? 'taker' : 'maker'}, fee ${fee}; position ${storedQtyText(positionQty)}`;
}

function sentenceOf(store: FactStore, approved: Fact<'approved'>, { session, toUs, difference }: SessionFacts): string {
  const { order, strategy, ticker, data } = approved;
  const last = store.orderFacts('order', order, Number.MAX_SAFE_INTEGER).at(-1)?.data;
  const wanted = `${strategy} wanted to ${termsText(data)} in ${ticker}`;
  if (!last) return `${wanted}, and it was not sent.`;
  const state = `it was ${last.to} (${last.why}), with ${storedQtyText(last.filledQty)} of ${storedQtyText(last.qty)} filled`;
  // tidy: as (the recorder wrote a state of an order)
  if (isFinished(last.to as OrderState)) return `${wanted}, and ${state}.`;
  if (difference !== null)
    return `${wanted}, and ${state}, until the replay differed from the journal at ${isoText(difference.atUs)}; \`presage orders\` shows its later states.`;
  const until = `at the last entry of session ${session}, ${isoText(toUs)}`;
  return `${wanted}, and ${state}, ${until}; \`presage orders\` shows what later sessions learned of it.`;
}
