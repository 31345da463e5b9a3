// The command line's and the watchdog's own connection to the venue, with the config's own key: looks and withdraws there
// whether or not the bot lives. Must never place an order.
import type { BotConfig } from '../../config/bot-config.ts';
import { type SessionStrategies, sessionOfOrderId, strategyOfOrderId } from '../../domain/client-order-id.ts';
import type { OrderReport } from '../../domain/event.ts';
import type { HaltScope } from '../../domain/operator-order.ts';
import type { Logger } from '../../log.ts';
import {
  type CancelSweepResult,
  type CancelSweepOptions,
  listResting,
  runCancelSweep,
} from '../../runtime/session/cancel-sweep.ts';
import { systemScheduler } from '../../transport/scheduler.ts';
import { type OpenedVenue, openVenue } from '../venue/open-venue.ts';

type Work = Pick<CancelSweepOptions, 'isOurs' | 'graceMs' | 'withinMs'>;

/** Hands of our own at the venue. */
export class DirectCancel {
  readonly #opened: OpenedVenue;
  readonly #log: Logger;

  private constructor(opened: OpenedVenue, log: Logger) {
    this.#opened = opened;
    this.#log = log;
  }

  /**
   * Opens a connection; `null` where there is none to open: without a key, or with the exchange inside the bot.
   * @throws {KeyFault} when the key cannot be used.
   */
  static async connect(config: BotConfig, log: Logger): Promise<DirectCancel | null> {
    const { embedded, key } = config.venue;
    if (embedded !== undefined || key === undefined) return null;
    return new DirectCancel(await openVenue({ config, log, assumesTerms: true }), log);
  }

  /** Withdraws until the venue's list is empty twice, or time is over. Never rejects. */
  cancelOrders(work: Work): Promise<CancelSweepResult> {
    return runCancelSweep({ ...this.#base(), ...work });
  }

  /** What the venue's list shows. Never rejects. */
  listOrders(work: Pick<Work, 'isOurs' | 'withinMs'>): Promise<CancelSweepResult> {
    return listResting({ ...this.#base(), ...work });
  }

  #base(): Pick<CancelSweepOptions, 'venue' | 'now' | 'scheduler' | 'log'> {
    const { venue, clock } = this.#opened;
    return { venue, now: () => clock.now(), scheduler: systemScheduler, log: this.#log };
  }

  async close(): Promise<void> {
    await this.#opened.venue.gateway.stop();
    await this.#opened.close();
  }
}

/** Which orders in the venue's list are within a scope: a strategy's by the session that minted their ids. */
export function ordersInScope(scope: HaltScope, sessions: readonly SessionStrategies[]): Work['isOurs'] {
  switch (scope.type) {
    case 'account':
      return () => true;
    case 'market':
      return (_, ticker) => ticker === scope.ticker;
    case 'strategy':
      return ({ clientOrderId }: OrderReport) => strategyOfOrderId(clientOrderId, sessions) === scope.strategy;
  }
}

/** Orders in the venue's list that a session minted which is none of these: their strategies are not known. */
export function ordersOfOtherSessions(sessions: readonly SessionStrategies[]): Work['isOurs'] {
  const known = new Set(sessions.map(({ session }) => session));
  return ({ clientOrderId }) => {
    const session = sessionOfOrderId(clientOrderId);
    return session !== null && !known.has(session);
  };
}
