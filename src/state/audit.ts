// Compares a streamed book with one read over REST. A read carries no sequence number, so it proves nothing about a
// book that moved while it was on its way; and one difference is only a doubt, because the stream may be ahead of it.
import type { BookPoll, Levels } from '../domain/event.ts';
import type { Books } from './books.ts';

/** What an audit found. `inconclusive`: the book moved meanwhile, or is not live anyway. */
export type AuditResult = 'equal' | 'different' | 'inconclusive';

/** Audits one book, level by level. */
export function auditBook(books: Books, poll: BookPoll): AuditResult {
  if (!books.isLive(poll.market)) return 'inconclusive';
  if (books.changedAt(poll.market) >= poll.askedAt) return 'inconclusive';
  const isEqual =
    isSideEqual(books.levels(poll.market, 'bid'), poll.bids) &&
    isSideEqual(books.levels(poll.market, 'ask'), poll.asks);
  return isEqual ? 'equal' : 'different';
}

function isSideEqual(ours: Levels, theirs: Levels): boolean {
  const listed = theirs.filter(([, qty]) => qty > 0);
  if (ours.length !== listed.length) return false;
  const qtyByPrice = new Map(listed);
  return ours.every(([price, qty]) => qtyByPrice.get(price) === qty);
}
