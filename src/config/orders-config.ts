// The schema of a config's `orders`: how a session sends, moves and looks up orders. Each member has a default.
import { z } from 'zod';
import { durationField, intervalField } from './fields.ts';

export const ordersSchema = z.strictObject({
  /** An order that could not be sent within this time is dropped. */
  delayMax: durationField.prefault('2s'),
  /** Time in which an order of unknown state may still appear at the venue, counted from its sending. */
  grace: durationField.prefault('3s'),
  /** Overlap of each read of new fills with the time already read. */
  lookback: durationField.prefault('10s'),
  /** After this time in an unknown state, an order raises an alarm, and its market is closed to new orders. */
  unknownMax: intervalField.prefault('30s'),
  /**
   * Handling of orders that no strategy of this session placed. `cancel` cancels them. `adopt` counts them and leaves
   * them alone, even at the session's end. They are still canceled in three cases: a flatten, a halt or cancel of the
   * account or their market, a fault of the session. `refuse` leaves the orders alone, and halts the account.
   */
  unexpected: z.enum(['cancel', 'adopt', 'refuse']).default('cancel'),
  /** Handling of an unexplained position or cash: `halt` halts the account, `alarm` only raises an alarm. */
  onDrift: z.enum(['alarm', 'halt']).default('halt'),
  /**
   * Sends an order again, under its own id, when no list shows it and the venue refuses known ids. Without this, lists
   * settle the order's state a little later, and a late order is canceled. No order is sent again after its
   * `validUntil`, and no immediate one at all.
   */
  resendUnknown: z.boolean().default(false),
  /** Handling of a quote that moves or grows: a cancel and then a new order, or one amend, if the venue has amends. */
  moveQuotesBy: z.enum(['cancel', 'amend']).default('cancel'),
  /** Sends new orders that leave together in one request, and such cancels in another, if the venue has batches. */
  batches: z.boolean().default(false),
  /** Time allowed for the stop. Orders still open after it are only reported. */
  stopWithin: durationField.prefault('15s'),
});
