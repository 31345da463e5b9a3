// The bot's account by the exchange's facts, added up independently of the exchange's own ledger and compared with it:
// every fill by its name, every settlement, every order. Must never read the bot's state.
import { PAYOUT } from '../../../src/domain/units.ts';
import type { ExchangeReader } from '../../../src/exchange/machine/exchange-interface.ts';
import type { Fact, OrderView, StepResult } from '../../../src/exchange/machine/exchange-output.ts';
import { ACCOUNT } from '../scenario.ts';
import type { Verdict } from './verdict.ts';

/** Number of steps between two audits of the whole exchange. */
const AUDIT_EVERY = 500;

/** The bot's account by the facts. */
export class Truth {
  readonly #verdict: Verdict;
  readonly #positions = new Map<string, number>();
  readonly #fills = new Set<string>();
  readonly #settled = new Set<string>();
  /** Venue order ids by client order id. Never removed. */
  readonly #orderByClientId = new Map<string, string>();
  /** Client order ids of resting orders. Added while something rests; removed when nothing does. */
  readonly #resting = new Set<string>();
  /** Cash as if positions were held on credit: paid and received for signed contracts. */
  #flow = 0;
  #fees = 0;
  #steps = 0;

  constructor(verdict: Verdict) {
    this.#verdict = verdict;
  }

  get orders(): number {
    return this.#orderByClientId.size;
  }

  /** True when the exchange accepted an order of this client order id. */
  hasOrder(clientOrderId: string): boolean {
    return this.#orderByClientId.has(clientOrderId);
  }

  /** True when an order of this client order id rests at the exchange. */
  isResting(clientOrderId: string): boolean {
    return this.#resting.has(clientOrderId);
  }

  get fills(): number {
    return this.#fills.size;
  }

  get settlements(): number {
    return this.#settled.size;
  }

  /** Applies a step's facts. Returns true when one was about the bot. */
  applyStep({ facts }: StepResult, exchange: ExchangeReader): boolean {
    let isOurs = false;
    for (const fact of facts)
      if ('account' in fact && fact.account === ACCOUNT) isOurs = this.#applyFact(fact) || isOurs;
    if (isOurs) this.#compare(exchange);
    if (++this.#steps % AUDIT_EVERY === 0) this.#audit(exchange);
    return isOurs;
  }

  /** Applies settlements that the exchange made during its start, before anyone could receive them. */
  catchUp(exchange: ExchangeReader): void {
    for (const settlement of exchange.settlements(ACCOUNT))
      if (!this.#settled.has(settlement.ticker))
        this.#applyFact({ type: 'settlement', at: settlement.at, account: ACCOUNT, settlement });
    this.#compare(exchange);
  }

  #applyFact(fact: Fact): boolean {
    if (fact.type === 'order') this.#applyOrder(fact.order);
    else if (fact.type === 'fill') {
      const { tradeId, orderId, ticker, side, price, qty, fee } = fact.fill;
      this.#verdict.require(!this.#fills.has(`${tradeId} ${orderId}`), 'I3', () => `fill ${tradeId} happened twice`);
      this.#fills.add(`${tradeId} ${orderId}`);
      const signed = side === 'buy' ? qty : -qty;
      this.#positions.set(ticker, (this.#positions.get(ticker) ?? 0) + signed);
      this.#flow -= signed * price;
      this.#fees += fee;
    } else if (fact.type === 'settlement') {
      const { ticker, settlementValue } = fact.settlement;
      this.#verdict.require(!this.#settled.has(ticker), 'I3', () => `${ticker} was settled twice`);
      this.#settled.add(ticker);
      this.#flow += (this.#positions.get(ticker) ?? 0) * settlementValue;
      this.#positions.set(ticker, 0);
    }
    return true;
  }

  #applyOrder({ clientOrderId, orderId, leavesQty }: OrderView): void {
    if (clientOrderId === null) return this.#verdict.fail('I2', `order ${orderId} has no client id`);
    const known = this.#orderByClientId.get(clientOrderId) ?? orderId;
    this.#verdict.require(known === orderId, 'I2', () => `${clientOrderId} is ${known} and ${orderId}`);
    this.#orderByClientId.set(clientOrderId, orderId);
    if (leavesQty > 0) this.#resting.add(clientOrderId);
    else this.#resting.delete(clientOrderId);
  }

  /** Compares with the ledger. A short position is paid for in full: its collateral is deducted from cash. */
  #compare(exchange: ExchangeReader): void {
    const balance = exchange.balance(ACCOUNT);
    let locked = 0;
    for (const [ticker, qty] of this.#positions) {
      if (qty < 0) locked += -qty * PAYOUT;
      // tidy: as — the ticker came from the exchange.
      const theirs = exchange.position(ACCOUNT, ticker as never)?.qty ?? 0;
      this.#verdict.require(theirs === qty, 'I3', () => `the facts give ${qty} of ${ticker}, the ledger has ${theirs}`);
    }
    const cash = (balance?.deposited ?? 0) + this.#flow - this.#fees - locked;
    this.#verdict.require(
      cash === balance?.cash,
      'I3',
      () => `the facts give cash ${cash}, the ledger has ${balance?.cash}`,
    );
    this.#verdict.require(
      this.#fees === balance?.fees,
      'I3',
      () => `the facts give fees ${this.#fees}, the ledger has ${balance?.fees}`,
    );
  }

  #audit(exchange: ExchangeReader): void {
    try {
      exchange.audit();
    } catch (fault) {
      this.#verdict.fail('I3', `the audit of the exchange fails: ${String(fault)}`);
    }
  }
}
