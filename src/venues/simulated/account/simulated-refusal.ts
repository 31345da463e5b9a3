// Refusals of the simulated venue: codes as real venues use them, with an HTTP status each.
import { COMMON_REFUSALS, type VenueRefusal } from '../../../domain/common-refusals.ts';
import type { MatchingRefusal } from '../simulator-interfaces.ts';

const REFUSAL_STATUS = {
  ...COMMON_REFUSALS,
  /** Only the simulation has this code: the book is unknown, as after a gap in the tape. */
  book_unknown: 409,
} as const satisfies Record<string, number>;

type RefusalCode = keyof typeof REFUSAL_STATUS;

/** The reason why a command was refused. */
export type SimulatedRefusal = VenueRefusal<RefusalCode>;

export const venueRefusal = (code: RefusalCode, details: string | null = null): SimulatedRefusal => ({ code, details });

export const statusOf = ({ code }: SimulatedRefusal): number => REFUSAL_STATUS[code];

/** The message of a refusal: its code in words, and details. */
export const messageOf = ({ code, details }: SimulatedRefusal): string =>
  details === null ? code.replaceAll('_', ' ') : `${code.replaceAll('_', ' ')}: ${details}`;

/** A refusal in one line. */
export const refusalText = (refused: SimulatedRefusal): string =>
  `${statusOf(refused)} ${refused.code}: ${messageOf(refused)}`;

/** Translates a refusal of the fill simulator into the venue's. */
export function refusalOf(code: MatchingRefusal, message: string): SimulatedRefusal {
  switch (code) {
    case 'post_only_would_cross':
      return venueRefusal('invalid_order', 'post only cross');
    case 'fill_or_kill_unfilled':
      return venueRefusal('fill_or_kill_insufficient_resting_volume');
    case 'price_off_grid':
      return venueRefusal('invalid_price', message);
    case 'reduce_only_beyond_position':
    case 'self_trade':
      return venueRefusal('invalid_order', message);
    case 'book_unknown':
      return venueRefusal('book_unknown', message);
    case 'market_closed':
      return venueRefusal('market_already_closed', message);
  }
}
