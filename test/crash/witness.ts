// The exchange of a crash trial, and its record: every version of the account's ledger with its time, every order by
// its client order id. It judges the bot's figures, and never reads them from the bot.
import type { ExchangeConfig } from '../../src/config/exchange-config.ts';
import type { StepResult } from '../../src/exchange/machine/exchange-output.ts';
import { type RunningExchange, startExchange } from '../../src/exchange/api/exchange-server.ts';
import type { KeyRegistration } from '../../src/exchange/api/exchange-server.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';

export const ACCOUNT = 'demo';

/** Figures of the account. */
export interface AccountFigures {
  /** Millionths of a dollar. */
  readonly cash: number;
  /** Hundredths of a contract, signed, by ticker; without flat ones. */
  readonly positions: ReadonlyMap<string, number>;
}

/** The account from a moment on. Milliseconds since the witness started. */
interface Version extends AccountFigures {
  readonly fromMs: number;
  readonly resting: number;
}

/** Bound on versions remembered; a trial's bot needs the last seconds only. */
const VERSIONS_MAX = 5000;

/** A running exchange with a record of its account. */
export class Witness {
  readonly exchange: RunningExchange;
  readonly #versions: Version[] = [];
  /** Venue order ids by client order id: more than one is a duplicate. Never removed. */
  readonly #orders = new Map<string, Set<string>>();
  fills = 0;

  private constructor(exchange: RunningExchange) {
    this.exchange = exchange;
    this.#recordVersion();
    exchange.session.onStep((result) => this.#onStep(result));
  }

  static async start(config: ExchangeConfig, key: KeyRegistration): Promise<Witness> {
    return new Witness(await startExchange({ config, profile: serviceProfile, port: 0, keys: [key] }));
  }

  #onStep({ facts }: StepResult): void {
    let isMoved = false;
    for (const fact of facts) {
      if (!('account' in fact) || fact.account !== ACCOUNT) continue;
      isMoved = true;
      if (fact.type === 'fill') this.fills += 1;
      if (fact.type === 'order' && fact.order.clientOrderId !== null) this.#recordOrder(fact.order);
    }
    if (isMoved) this.#recordVersion();
  }

  #recordOrder({ clientOrderId, orderId }: { readonly clientOrderId: string | null; readonly orderId: string }): void {
    const orders = this.#orders.get(clientOrderId ?? '') ?? new Set();
    orders.add(orderId);
    this.#orders.set(clientOrderId ?? '', orders);
  }

  #recordVersion(): void {
    const { exchange } = this.exchange;
    const held = exchange.positions(ACCOUNT).filter(({ qty }) => qty !== 0);
    this.#versions.push({
      fromMs: performance.now(),
      cash: exchange.balance(ACCOUNT)?.cash ?? 0,
      positions: new Map(held.map(({ ticker, qty }) => [ticker, qty])),
      resting: this.restingCount(),
    });
    if (this.#versions.length > VERSIONS_MAX) this.#versions.shift();
  }

  /** Number of resting orders of the account. */
  restingCount(): number {
    return this.exchange.exchange.restingOrders(ACCOUNT).length;
  }

  /** True when the account had just these figures, with nothing resting, at some moment of the last `withinMs`. */
  hadFigures(figures: AccountFigures, withinMs: number): boolean {
    const since = performance.now() - withinMs;
    // The version in force at the start of the span counts as well.
    const first = Math.max(
      0,
      this.#versions.findLastIndex(({ fromMs }) => fromMs <= since),
    );
    return this.#versions.slice(first).some((version) => version.resting === 0 && isSame(version, figures));
  }

  /** The account now, as text. */
  describe(): string {
    const last = this.#versions.at(-1);
    return last ? describe(last) : 'nothing';
  }

  /** Client order ids under which the exchange accepted more than one order. */
  duplicateIds(): string[] {
    return [...this.#orders].flatMap(([id, orders]) => (orders.size > 1 ? [id] : []));
  }

  /** Every client order id under which the exchange accepted an order. */
  clientIds(): ReadonlySet<string> {
    return new Set(this.#orders.keys());
  }

  stop(): Promise<void> {
    return this.exchange.stop();
  }
}

const isSame = (a: AccountFigures, b: AccountFigures): boolean =>
  a.cash === b.cash &&
  a.positions.size === b.positions.size &&
  [...a.positions].every(([ticker, qty]) => b.positions.get(ticker) === qty);

/** An account as text. */
export const describe = ({ cash, positions }: AccountFigures): string =>
  `cash ${cash}, ${[...positions].map(([ticker, qty]) => `${ticker} ${qty}`).join(', ') || 'flat'}`;
