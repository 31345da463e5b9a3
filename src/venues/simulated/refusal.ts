// Refusals of the simulated venue, in the field's words and with HTTP statuses, which decide the answer.
import { COMMON_REFUSALS, type RefusalBy } from '../../domain/refusal.ts';
import type { FloorRefusal } from './ports.ts';

/** Refusal codes and the HTTP status of each. */
const REFUSAL_STATUS = {
  ...COMMON_REFUSALS,
  /** The simulation's own: the tape has a gap, so what the order would have met is unknown. */
  book_unknown: 409,
} as const satisfies Record<string, number>;

type RefusalCode = keyof typeof REFUSAL_STATUS;

/** The reason why a command was refused. The command changed nothing. */
export type Refusal = RefusalBy<RefusalCode>;

export const refusal = (code: RefusalCode, details: string | null = null): Refusal => ({ code, details });

export const statusOf = ({ code }: Refusal): number => REFUSAL_STATUS[code];

/** The message of a refusal: its code in words, and details. */
export const messageOf = ({ code, details }: Refusal): string =>
  details === null ? code.replaceAll('_', ' ') : `${code.replaceAll('_', ' ')}: ${details}`;

/** A refusal in one line. */
export const describe = (refused: Refusal): string => `${statusOf(refused)} ${refused.code}: ${messageOf(refused)}`;

/** Translates a refusal of the fill simulator into the venue's. */
export function refusalOf(code: FloorRefusal, message: string): Refusal {
  switch (code) {
    case 'post_only_would_cross':
      return refusal('invalid_order', 'post only cross');
    case 'fill_or_kill_unfilled':
      return refusal('fill_or_kill_insufficient_resting_volume');
    case 'price_off_grid':
      return refusal('invalid_price', message);
    case 'reduce_only_beyond_position':
    case 'self_trade':
      return refusal('invalid_order', message);
    case 'book_unknown':
      return refusal('book_unknown', message);
    case 'market_closed':
      return refusal('market_already_closed', message);
  }
}
