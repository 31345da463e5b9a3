// Decides which price and quantity an order has, from answers and reports that overtake each other. Must never take an
// old report for a new one.
import type { AmendAccepted, OrderReport } from '../../domain/event.ts';
import type { OrderFact } from './fact-rows.ts';

type Terms = Pick<OrderFact, 'price' | 'qty' | 'terms_us' | 'terms_venue_us' | 'asked_qty'>;

/** A report of the venue, with the times by our clock at which we got it and asked for it. */
export interface TimedReport {
  readonly report: OrderReport;
  readonly atUs: number;
  /** Time of the request for a list or a lookup; `null` for the feed. */
  readonly askedUs: number | null;
}

/** The terms that a report shows, or `null` when it is older than those in force. */
export function reportedTerms(order: OrderFact, { report, atUs, askedUs }: TimedReport): Terms | null {
  const reported = { price: Number(report.price), qty: reportedQty(order, report) };
  const isSame = reported.price === order.price && reported.qty === order.qty;
  if (isOutdated(order, report, askedUs)) return null;
  // A report of the old terms may be from before a change that is not answered yet.
  if (isSame && report.status === 'working') return null;
  return { ...reported, ...timesOf(order, askedUs ?? atUs, report.updatedAt), asked_qty: null };
}

/** The terms that the answer to a change shows, or `null` when the feed has already reported a later change. */
export function amendedTerms(
  order: OrderFact,
  { at, price, filledQty, leavesQty, exchangeAt }: AmendAccepted,
): Terms | null {
  const venueUs = exchangeAt ?? null;
  if (order.terms_venue_us !== null && venueUs !== null && venueUs < order.terms_venue_us) return null;
  const filled = filledQty ?? (order.ended_us === null ? order.filled : null);
  return {
    price: price ?? order.price,
    qty: filled === null ? order.qty : filled + leavesQty,
    ...timesOf(order, at, venueUs),
    asked_qty: null,
  };
}

/** True when an order has traded the greatest quantity that it may have. */
export const isAllTraded = ({ filled, qty, asked_qty }: OrderFact): boolean => filled >= Math.max(qty, asked_qty ?? 0);

function isOutdated(order: OrderFact, report: OrderReport, askedUs: number | null): boolean {
  if (report.status === 'working' && report.filledQty < order.filled) return true;
  if (order.terms_venue_us !== null && report.updatedAt !== null) return report.updatedAt < order.terms_venue_us;
  return askedUs !== null && askedUs <= order.terms_us;
}

/** The quantity of an ended order is that of its request, unless a change of it was not answered. */
function reportedQty(order: OrderFact, { status, filledQty, leavesQty }: OrderReport): number {
  if (status === 'working') return filledQty + leavesQty;
  return status === 'filled' && order.asked_qty !== null ? filledQty : order.qty;
}

const timesOf = (
  order: OrderFact,
  atUs: number,
  venueUs: number | null,
): Pick<Terms, 'terms_us' | 'terms_venue_us'> => ({
  terms_us: atUs,
  terms_venue_us: Math.max(order.terms_venue_us ?? 0, venueUs ?? 0) || null,
});
