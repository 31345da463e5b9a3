// The command line's and the watchdog's own connection to the venue, with the config's own key: looks and withdraws there
// whether or not the bot lives. Must never place an order.
import type { BotConfig } from '../config/bot-config.ts';
import type { OrderReport } from '../domain/event.ts';
import type { HaltScope } from '../domain/operator.ts';
import type { Logger } from '../log.ts';
import { type SweepEnd, type SweepOptions, listResting, sweep } from '../runtime/sweep.ts';
import { systemScheduler } from '../transport/scheduler.ts';
import { type OpenedVenue, openVenue } from './open-venue.ts';

type Work = Pick<SweepOptions, 'isOurs' | 'graceMs' | 'withinMs'>;

/** Hands of our own at the venue. */
export class OwnHands {
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
  static async open(config: BotConfig, log: Logger): Promise<OwnHands | null> {
    const { embedded, key } = config.venue;
    if (embedded !== undefined || key === undefined) return null;
    return new OwnHands(await openVenue({ config, log, assumesTerms: true }), log);
  }

  /** Withdraws until the venue's list is empty twice, or time is over. Never rejects. */
  withdraw(work: Work): Promise<SweepEnd> {
    return sweep({ ...this.#base(), ...work });
  }

  /** What the venue's list shows. Never rejects. */
  look(work: Pick<Work, 'isOurs' | 'withinMs'>): Promise<SweepEnd> {
    return listResting({ ...this.#base(), ...work });
  }

  #base(): Pick<SweepOptions, 'venue' | 'now' | 'scheduler' | 'log'> {
    const { venue, clock } = this.#opened;
    return { venue, now: () => clock.now(), scheduler: systemScheduler, log: this.#log };
  }

  async close(): Promise<void> {
    await this.#opened.venue.gateway.stop();
    await this.#opened.close();
  }
}

/** Which orders in the venue's list are within a scope. A strategy's are told by their ids, where it stands in the config. */
export function isWithinScope(scope: HaltScope, config: Pick<BotConfig, 'strategies'>): Work['isOurs'] {
  if (scope.type === 'account') return () => true;
  if (scope.type === 'market') return (_, ticker) => ticker === scope.ticker;
  const index = config.strategies.findIndex(({ name }) => name === scope.strategy);
  return ({ clientOrderId }: OrderReport) => clientOrderId?.split('-')[1] === String(index);
}
