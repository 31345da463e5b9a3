// The exchange of a crash trial, and what it saw: every version of the account's ledger with its time, every order by
// its client id. The judge of what a bot believes; it never asks the bot.
import type { ExchangeConfig } from '../../src/config/exchange-config.ts';
import type { StepResult } from '../../src/exchange/output.ts';
import { type RunningExchange, startExchange } from '../../src/exchange/server/exchange-server.ts';
import type { KeyRegistration } from '../../src/exchange/server/exchange-server.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service.ts';

export const ACCOUNT = 'demo';

/** The account as a bot may believe it. */
export interface Believed {
  /** Millionths of a dollar. */
  readonly cash: number;
  /** Hundredths of a contract, signed, by ticker; flat ones left out. */
  readonly positions: ReadonlyMap<string, number>;
}

/** The account from a moment on. Milliseconds since the witness began. */
interface Version extends Believed {
  readonly fromMs: number;
  readonly resting: number;
}

/** Versions that are remembered; a trial's bot asks for the last seconds only. */
const VERSIONS_MAX = 5000;

/** An exchange that runs, and remembers. */
export class Witness {
  readonly exchange: RunningExchange;
  readonly #versions: Version[] = [];
  /** The venue's orders by client id: more than one is a double. */
  readonly #orders = new Map<string, Set<string>>();
  fills = 0;

  private constructor(exchange: RunningExchange) {
    this.exchange = exchange;
    this.#remember();
    exchange.session.listen((result) => this.#note(result));
  }

  static async start(config: ExchangeConfig, key: KeyRegistration): Promise<Witness> {
    return new Witness(await startExchange({ config, profile: serviceProfile, port: 0, keys: [key] }));
  }

  #note({ facts }: StepResult): void {
    let isMoved = false;
    for (const fact of facts) {
      if (!('account' in fact) || fact.account !== ACCOUNT) continue;
      isMoved = true;
      if (fact.type === 'fill') this.fills += 1;
      if (fact.type === 'order' && fact.order.clientOrderId !== null) this.#noteOrder(fact.order);
    }
    if (isMoved) this.#remember();
  }

  #noteOrder({ clientOrderId, orderId }: { readonly clientOrderId: string | null; readonly orderId: string }): void {
    const orders = this.#orders.get(clientOrderId ?? '') ?? new Set();
    orders.add(orderId);
    this.#orders.set(clientOrderId ?? '', orders);
  }

  #remember(): void {
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

  /** Orders of the account that rest now. */
  restingCount(): number {
    return this.exchange.exchange.restingOrders(ACCOUNT).length;
  }

  /** Whether the account was just so, with nothing resting, at some moment of the last while. */
  wasLately(believed: Believed, withinMs: number): boolean {
    const since = performance.now() - withinMs;
    // The version that held when the while began counts as well.
    const first = Math.max(
      0,
      this.#versions.findLastIndex(({ fromMs }) => fromMs <= since),
    );
    return this.#versions.slice(first).some((version) => version.resting === 0 && isSame(version, believed));
  }

  /** The account now, in words. */
  describe(): string {
    const last = this.#versions.at(-1);
    return last ? describe(last) : 'nothing';
  }

  /** Client ids under which the exchange took more than one order. */
  doubled(): string[] {
    return [...this.#orders].flatMap(([id, orders]) => (orders.size > 1 ? [id] : []));
  }

  /** Every client id under which the exchange ever took an order. */
  clientIds(): ReadonlySet<string> {
    return new Set(this.#orders.keys());
  }

  stop(): Promise<void> {
    return this.exchange.stop();
  }
}

const isSame = (a: Believed, b: Believed): boolean =>
  a.cash === b.cash &&
  a.positions.size === b.positions.size &&
  [...a.positions].every(([ticker, qty]) => b.positions.get(ticker) === qty);

/** An account in words. */
export const describe = ({ cash, positions }: Believed): string =>
  `cash ${cash}, ${[...positions].map(([ticker, qty]) => `${ticker} ${qty}`).join(', ') || 'flat'}`;
