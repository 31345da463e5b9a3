// A separate connection to the venue, with the config's key: lists and cancels orders whether or not the bot lives.
// Used by the operator's commands and the watchdog. Must never place an order.
import type { BotConfig } from '../../config/bot-config.ts';
import { type SessionStrategies, sessionOfOrderId, strategyOfOrderId } from '../../domain/orders/client-order-id.ts';
import type { OrderReport } from '../../domain/event.ts';
import type { HaltScope } from '../../domain/operator-order.ts';
import type { Logger } from '../../log.ts';
import {
  type CancelSweepOptions,
  type CancelSweepResult,
  listResting,
  runCancelSweep,
} from '../../runtime/session/cancel-sweep.ts';
import { systemScheduler } from '../../transport/scheduler.ts';
import { type OpenedVenue, openVenue } from '../venue/open-venue.ts';

type SweepScope = Pick<CancelSweepOptions, 'isOurs' | 'graceMs' | 'withinMs'>;

/** Lists and cancels orders at the venue. */
export class DirectCancel {
  readonly #opened: OpenedVenue;
  readonly #log: Logger;

  private constructor(opened: OpenedVenue, log: Logger) {
    this.#opened = opened;
    this.#log = log;
  }

  /**
   * Opens a connection. Returns `null` without a key, and for an exchange embedded in the bot's process, which no other
   * process can reach.
   * @throws {KeyFault} when the key cannot be used.
   */
  static async connect(config: BotConfig, log: Logger): Promise<DirectCancel | null> {
    const { embedded, key } = config.venue;
    if (embedded !== undefined || key === undefined) return null;
    return new DirectCancel(await openVenue({ config, log, assumesTerms: true }), log);
  }

  /** Uses an open venue, which is closed with this object. */
  static over(opened: OpenedVenue, log: Logger): DirectCancel {
    return new DirectCancel(opened, log);
  }

  /**
   * Cancels until the venue's list shows no order of the scope two times in a row, or the time is over. Never rejects.
   */
  cancelOrders(scope: SweepScope): Promise<CancelSweepResult> {
    return runCancelSweep({ ...this.#connection(), ...scope });
  }

  /** Lists the orders that rest at the venue. Never rejects. */
  listOrders(scope: Pick<SweepScope, 'isOurs' | 'withinMs'>): Promise<CancelSweepResult> {
    return listResting({ ...this.#connection(), ...scope });
  }

  #connection(): Pick<CancelSweepOptions, 'venue' | 'now' | 'scheduler' | 'log'> {
    const { venue, clock } = this.#opened;
    return { venue, now: () => clock.now(), scheduler: systemScheduler, log: this.#log };
  }

  async close(): Promise<void> {
    await this.#opened.venue.gateway.stop();
    await this.#opened.close();
  }
}

/**
 * Selects the orders of a scope. A strategy's orders are recognized by their client order ids, which name the session
 * and the strategy's number in it.
 */
export function ordersInScope(scope: HaltScope, sessions: readonly SessionStrategies[]): SweepScope['isOurs'] {
  switch (scope.type) {
    case 'account':
      return () => true;
    case 'market':
      return (_, ticker) => ticker === scope.ticker;
    case 'strategy':
      return ({ clientOrderId }: OrderReport) => strategyOfOrderId(clientOrderId, sessions) === scope.strategy;
  }
}

/** Selects the orders of sessions other than the given ones. Their strategies are unknown. */
export function ordersOfOtherSessions(sessions: readonly SessionStrategies[]): SweepScope['isOurs'] {
  const known = new Set(sessions.map(({ session }) => session));
  return ({ clientOrderId }) => {
    const session = sessionOfOrderId(clientOrderId);
    return session !== null && !known.has(session);
  };
}
