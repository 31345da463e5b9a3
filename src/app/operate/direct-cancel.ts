// A separate connection to the venue, with the config's key. It lists and cancels orders without the bot. Must never
// place an order.
import type { BotConfig } from '../../config/bot-config.ts';
import { withConfigLines } from '../../config/yaml.ts';
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

/** A bot's config, and the log of what is done for it. */
interface ConfiguredBot {
  readonly file: string;
  readonly config: BotConfig;
  readonly isPaper: boolean;
  readonly log: Logger;
}

/** Lists and cancels orders at the venue. */
export class DirectCancel {
  readonly #opened: OpenedVenue;
  readonly #log: Logger;

  private constructor(opened: OpenedVenue, log: Logger) {
    this.#opened = opened;
    this.#log = log;
  }

  /**
   * Opens a connection. Returns `null` without a key, for a paper session, whose orders never rest at the exchange, or
   * for an exchange embedded in the bot's process: no other process can reach that exchange.
   * @throws {ConfigError} when the config's venue cannot be used.
   * @throws {KeyFault} when the key cannot be used.
   */
  static async connect({ file, config, isPaper, log }: ConfiguredBot): Promise<DirectCancel | null> {
    const { embedded, key } = config.venue;
    if (isPaper || embedded !== undefined || key === undefined) return null;
    const opened = await withConfigLines(file, () => openVenue({ config, log, assumesTerms: true }));
    return new DirectCancel(opened, log);
  }

  /** Uses an open venue. `close` closes the venue, too. */
  static over(opened: OpenedVenue, log: Logger): DirectCancel {
    return new DirectCancel(opened, log);
  }

  /** Cancels until two lists in a row show no order of the scope, or the time is over. Never rejects. */
  cancelOrders(scope: SweepScope): Promise<CancelSweepResult> {
    return runCancelSweep({ ...this.#connection(), ...scope });
  }

  /** Lists the orders of the scope that rest at the venue. Never rejects. */
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

/** Selects the orders of a scope. A client order id names the session and the number of the strategy. */
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

/** Selects the orders of sessions other than the given ones. */
export function ordersOfOtherSessions(sessions: readonly SessionStrategies[]): SweepScope['isOurs'] {
  const known = new Set(sessions.map(({ session }) => session));
  return ({ clientOrderId }) => {
    const session = sessionOfOrderId(clientOrderId);
    return session !== null && !known.has(session);
  };
}
