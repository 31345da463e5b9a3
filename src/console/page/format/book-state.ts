// The state of a market's book, in a word. No snapshot comes after the close, so its book stays without trust.
import { isPastClose, isSettled } from '../../../domain/market.ts';

/** The state of a book. */
export interface BookState {
  readonly text: string;
  /** Class of the text. */
  readonly tone: 'muted' | 'stale' | 'warning-text';
  /** True: the market is past its close, and no figure of the book matters. */
  readonly isOver: boolean;
}

/** Returns the state of a book by its trust and the status of its market. */
export function bookState({ status, trust }: { readonly status: string; readonly trust: string }): BookState {
  if (isPastClose(status)) return { text: isSettled(status) ? 'settled' : 'closed', tone: 'muted', isOver: true };
  if (trust === 'live') return { text: trust, tone: 'muted', isOver: false };
  return { text: trust, tone: trust === 'rebuilding' ? 'stale' : 'warning-text', isOver: false };
}
