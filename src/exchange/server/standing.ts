// The exchange behind the doors, without the doors: opened, with its flow; killed, and opened again on its log.
// Must never be up twice, nor answer while it is down.
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import { assert } from '../../domain/assert.ts';
import type { Micros } from '../../domain/units.ts';
import type { Logger } from '../../log.ts';
import type { WireProfile } from '../../venues/trade-api/profile.ts';
import { type RunningFlow, type SetTimer, openExchange, startFlow } from '../driver.ts';
import type { Clock, ExchangeSession } from '../session.ts';
import type { OpenedStore } from '../store.ts';
import type { Authentication } from './authentication.ts';
import type { Faults } from './faults.ts';
import { type Hall, openHall } from './hall.ts';
import { premisesOf } from './premises.ts';
import type { Tally } from './tally.ts';

/** What an exchange that can die is made of. */
export interface StandingOptions {
  readonly config: ExchangeConfig;
  readonly profile: WireProfile;
  readonly clock: Clock;
  /** Of the flow. */
  readonly setTimer: SetTimer;
  readonly authentication: Authentication;
  readonly faults: Faults;
  /** How long ago reads may be answered as of, in microseconds. */
  readonly lagMax: Micros;
  /** Outlives the exchange; the config's data folder where it is absent. */
  readonly store?: OpenedStore;
  readonly tally: Tally;
  readonly log: Logger;
  /** Hears why the exchange stands still for good. */
  readonly onFailure: (failure: Error) => void;
}

/** An exchange that can die and come back. */
export class Standing {
  readonly #options: StandingOptions;
  #session: ExchangeSession;
  #hall: Hall;
  #flow: RunningFlow | null = null;
  #isUp = true;

  /** Opens the exchange; its flow begins with `startFlow`. Throws what opening it throws. */
  constructor(options: StandingOptions) {
    this.#options = options;
    [this.#session, this.#hall] = this.#open();
  }

  /** As it is, or as it last was. */
  get session(): ExchangeSession {
    return this.#session;
  }

  get hall(): Hall {
    return this.#hall;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Time passes from now on. */
  startFlow(): void {
    this.#flow = startFlow(this.#session, this.#options.config, this.#options.setTimer);
  }

  /** Dies without a word. What was answered is in the log, if there is one. */
  crash(): void {
    assert(this.#isUp, 'an exchange that is down cannot crash');
    this.#isUp = false;
    this.#flow?.stop();
    this.#hall.crash();
    this.#session.close();
  }

  /** Comes back on its log. */
  restart(): void {
    assert(!this.#isUp, 'the exchange is up');
    [this.#session, this.#hall] = this.#open();
    this.#isUp = true;
    this.startFlow();
  }

  /** Turns everyone away; nothing acts any more. */
  dismiss(): void {
    this.#flow?.stop();
    if (this.#isUp) this.#hall.close();
  }

  /** Closes the log. */
  close(): void {
    if (this.#isUp) this.#session.close();
    this.#isUp = false;
  }

  #open(): [ExchangeSession, Hall] {
    const { config, profile, clock, store, lagMax, authentication, faults, log, tally, onFailure } = this.#options;
    const session = openExchange(config, { clock, lagMax, ...(store === undefined ? {} : { store }) });
    session.onFailure(onFailure);
    const premises = premisesOf(config);
    return [
      session,
      openHall({
        session,
        profile,
        authentication,
        limits: config.limits,
        premises,
        faults,
        log,
        logsRequests: config.logsRequests,
        tally,
      }),
    ];
  }
}
