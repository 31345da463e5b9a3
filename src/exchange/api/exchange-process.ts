// The lifecycle of the exchange, without its servers: open, run its simulated traders (the flow), crash, restart from
// its store. Must never answer while it is down.
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import { assert } from '../../base/assert.ts';
import type { Micros } from '../../domain/units.ts';
import type { Logger } from '../../log.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import { type RunningFlow, type SetTimer, openExchange, startFlow } from '../session/exchange-driver.ts';
import type { Clock, ExchangeSession } from '../session/exchange-session.ts';
import type { OpenedInputStore } from '../store/input-store.ts';
import type { Authentication } from './authentication.ts';
import type { FaultInjector } from '../faults/fault-injector.ts';
import { type ExchangeApi, openExchangeApi } from './exchange-api.ts';
import { settingsOf } from './exchange-settings.ts';
import type { TrafficCounters } from './traffic-counters.ts';

/** Options of an exchange process. */
export interface ExchangeProcessOptions {
  readonly config: ExchangeConfig;
  readonly profile: WireProfile;
  readonly clock: Clock;
  readonly setTimer: SetTimer;
  readonly authentication: Authentication;
  readonly faults: FaultInjector;
  /** Longest lag of reads, in microseconds, when longer than the config's. */
  readonly lagMax: Micros;
  /** Store of the inputs, which outlives a crash. Default: the store in the config's data folder. */
  readonly store?: OpenedInputStore;
  readonly counters: TrafficCounters;
  readonly log: Logger;
  readonly onFailure: (failure: Error) => void;
}

/** An exchange that can crash and restart. */
export class ExchangeProcess {
  readonly #options: ExchangeProcessOptions;
  #session: ExchangeSession;
  #api: ExchangeApi;
  #flow: RunningFlow | null = null;
  #isUp = true;

  /** Opens the exchange. The flow starts later, with `startFlow`. */
  constructor(options: ExchangeProcessOptions) {
    this.#options = options;
    [this.#session, this.#api] = this.#openExchange();
  }

  /** The current session, or the last one while the exchange is down. */
  get session(): ExchangeSession {
    return this.#session;
  }

  get api(): ExchangeApi {
    return this.#api;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Starts the flow: time passes from now on. */
  startFlow(): void {
    this.#flow = startFlow(this.#session, this.#options.config, this.#options.setTimer);
  }

  /** Crashes. Everything that was answered is in the store, unless the store keeps nothing. */
  crash(): void {
    assert(this.#isUp, 'an exchange that is down cannot crash');
    this.#isUp = false;
    this.#flow?.stop();
    this.#api.crash();
    this.#session.close();
  }

  restart(): void {
    assert(!this.#isUp, 'the exchange is up');
    [this.#session, this.#api] = this.#openExchange();
    this.#isUp = true;
    this.startFlow();
  }

  stopServing(): void {
    this.#flow?.stop();
    if (this.#isUp) this.#api.close();
  }

  close(): void {
    if (this.#isUp) this.#session.close();
    this.#isUp = false;
  }

  #openExchange(): [ExchangeSession, ExchangeApi] {
    const { config, profile, clock, store, lagMax, authentication, faults, log, counters, onFailure } = this.#options;
    const session = openExchange(config, { clock, lagMax, ...(store === undefined ? {} : { store }) });
    session.onFailure(onFailure);
    const settings = settingsOf(config);
    return [
      session,
      openExchangeApi({
        session,
        profile,
        authentication,
        limits: config.limits,
        settings,
        faults,
        log,
        logsRequests: config.logsRequests,
        counters,
      }),
    ];
  }
}
