// The exchange put together: an input moves the clock, then what came due, then the operation; facts come out in order.
// Pure: the same inputs give the same exchange. Must never let a refusal change anything but the clock.
import type { EventTicker, SeriesTicker, Ticker } from '../domain/ids.ts';
import { unreachable } from '../domain/assert.ts';
import { type Micros, money } from '../domain/units.ts';
import { auditFloor } from './audit.ts';
import { amend, cancel, cancelAll, decrease, queueAheadOf, sweepOnPause } from './changing.ts';
import type { Exchange } from './exchange.ts';
import { setFees } from './fee-terms.ts';
import { Floor } from './floor.ts';
import { type ExchangeImage, floorOf, imageOf } from './image.ts';
import { forgetSettled, retainedBy } from './forgetting.ts';
import type { AccountName, AccountOp, Input, Op, OperatorOp } from './input.ts';
import { comeDue, defineGroup, defineMarket, defineSeries, moveMarket } from './market-life.ts';
import { changeOrderGroups } from './order-group-ops.ts';
import type { Answer, LedgerView, StepResult } from './output.ts';
import { place, refused } from './placing.ts';
import { ownerOf } from './purses.ts';
import type { Account, Holding } from './records.ts';
import { withdraw } from './resting.ts';
import { setGrid } from './regrid.ts';
import { chargeSeries, setSeriesFees } from './series-fees.ts';
import { transfer } from './transfers.ts';
import { balanceView, bookView, marketView, orderGroupView, orderView, positionView, statsOf } from './views.ts';

const DONE: Answer = { type: 'done' };

/** An exchange with nothing in it. `salt` makes its order and trade ids differ from another exchange's. */
export function createExchange(salt: number): Exchange {
  return new Machine(new Floor(salt));
}

/**
 * An exchange as it was when its image was taken. `salt` is the one it was created with.
 * @throws {AssertionFault} when the image does not hold together.
 */
export function restoreExchange(salt: number, image: ExchangeImage): Exchange {
  return new Machine(floorOf(salt, image));
}

class Machine implements Exchange {
  readonly #floor: Floor;

  constructor(floor: Floor) {
    this.#floor = floor;
  }

  step({ at, op }: Input): StepResult {
    const floor = this.#floor;
    floor.now = Math.max(floor.now, at) as Micros;
    floor.seq++;
    catchUp(floor);
    const answer = operate(floor, op);
    return { seq: floor.seq, at: floor.now, answer, facts: floor.finish() };
  }

  image(): ExchangeImage {
    return imageOf(this.#floor);
  }

  audit(): void {
    auditFloor(this.#floor);
  }

  get now() {
    return this.#floor.now;
  }

  get seq() {
    return this.#floor.seq;
  }

  get isActive() {
    return this.#floor.isActive;
  }

  get isTrading() {
    return this.#floor.isTrading;
  }

  allSeries = () => [...this.#floor.series.values()];
  series = (ticker: SeriesTicker) => this.#floor.series.get(ticker);
  groups = () => [...this.#floor.groups.values()];
  group = (ticker: EventTicker) => this.#floor.groups.get(ticker);
  markets = () => [...this.#floor.markets.values()].map((market) => marketView(market, this.now));

  market(ticker: Ticker) {
    const market = this.#floor.markets.get(ticker);
    return market && marketView(market, this.now);
  }

  marketsOf(group: EventTicker) {
    return [...(this.#floor.marketsByGroup.get(group) ?? [])].map((market) => marketView(market, this.now));
  }

  statusOf(ticker: Ticker) {
    return this.#floor.markets.get(ticker)?.status;
  }

  book(ticker: Ticker, depth = 0) {
    const market = this.#floor.markets.get(ticker);
    return market && bookView(market, depth);
  }

  stats(ticker: Ticker) {
    const market = this.#floor.markets.get(ticker);
    return market && statsOf(market, this.now);
  }

  prints = (ticker: Ticker) => this.#floor.markets.get(ticker)?.history.prints ?? [];
  bars = (ticker: Ticker) => this.#floor.markets.get(ticker)?.history.bars ?? [];
  hasAccount = (name: AccountName) => this.#account(name) !== undefined;

  balance(name: AccountName) {
    const account = this.#account(name);
    return account && balanceView(account);
  }

  positions = (name: AccountName) => positionsOf(this.#account(name));

  position(name: AccountName, ticker: Ticker) {
    const holding = this.#holding(name, ticker);
    return holding && holding.tradedQty > 0 ? positionView(holding) : undefined;
  }

  orders = (name: AccountName) => [...(this.#account(name)?.orders.values() ?? [])].map(orderView);

  restingOrders = (name: AccountName) => [...(this.#account(name)?.resting.values() ?? [])].map(orderView);

  restingOrdersIn(name: AccountName, ticker: Ticker) {
    const holding = this.#holding(name, ticker);
    return holding === undefined ? [] : [...holding.buys, ...holding.sells].map(orderView);
  }

  order(name: AccountName, orderId: string) {
    const order = this.#account(name)?.orders.get(orderId);
    return order && orderView(order);
  }

  queueAhead(name: AccountName, orderId: string) {
    const order = this.#account(name)?.resting.get(orderId);
    return order && queueAheadOf(order);
  }

  fills = (name: AccountName) => [...(this.#account(name)?.fills ?? [])];
  settlements = (name: AccountName) => [...(this.#account(name)?.settlements ?? [])];
  orderGroups = (name: AccountName) => [...(this.#account(name)?.orderGroups.values() ?? [])].map(orderGroupView);

  orderGroup(name: AccountName, groupId: string) {
    const group = this.#account(name)?.orderGroups.get(groupId);
    return group && orderGroupView(group);
  }

  transfers = (name: AccountName) => [...(this.#account(name)?.transfers.values() ?? [])];
  feeChanges = (series: SeriesTicker) => this.#floor.feeChanges.filter((each) => each.seriesTicker === series);
  ledger = () => ledgerView(this.#floor);
  retained = () => retainedBy(this.#floor);
  nextDue = () => this.#floor.timers.next();

  #holding(name: AccountName, ticker: Ticker): Holding | undefined {
    const market = this.#floor.markets.get(ticker);
    return market && this.#account(name)?.holdings.get(market.index);
  }

  #account(name: AccountName): Account | undefined {
    return this.#floor.ledger.account(name);
  }
}

function positionsOf(account: Account | undefined) {
  const holdings = [...(account?.holdings.values() ?? [])];
  return holdings.filter((holding) => holding.tradedQty > 0).map(positionView);
}

function ledgerView({ ledger }: Floor): LedgerView {
  return {
    accounts: [...ledger.accounts].map((account) => ({
      account: account.name,
      cash: account.cash,
      reserved: account.reserved,
      deposited: account.deposited,
      fees: account.fees,
      positions: positionsOf(account),
    })),
    house: ledger.house.cash,
    locked: ledger.locked,
    deposited: money(0 - ledger.outside.cash),
  };
}

/** Everything that has come due happens before the operation, in the order in which it was due. */
function catchUp(floor: Floor): void {
  for (let due = floor.timers.take(floor.now); due !== null; due = floor.timers.take(floor.now)) {
    if (due.type === 'expire') withdraw(floor, due.order, 'ExpiryCancel');
    else if (due.type === 'fees') chargeSeries(floor, due.seriesTicker, due.fees);
    else comeDue(floor, due.market, due.type);
  }
}

function operate(floor: Floor, op: Op): Answer {
  if (!('account' in op)) return operatorAsks(floor, op);
  if (op.type === 'open-account' || op.type === 'deposit') return changeAccount(floor, op);
  const account = floor.ledger.account(op.account);
  return account === undefined ? refused('user_not_found', `account ${op.account}`) : accountAsks(floor, account, op);
}

function accountAsks(floor: Floor, account: Account, op: AccountOp): Answer {
  switch (op.type) {
    case 'place':
      return place(floor, account, op.order);
    case 'place-batch':
      return { type: 'batch', answers: op.orders.map((order) => place(floor, account, order)) };
    case 'cancel':
      return cancel(floor, account, op.orderId);
    case 'cancel-batch':
      return { type: 'batch', answers: op.orderIds.map((orderId) => cancel(floor, account, orderId)) };
    case 'cancel-all':
      return cancelAll(floor, account, op.ticker);
    case 'amend':
      return amend(floor, account, op.amendment);
    case 'decrease':
      return decrease(floor, account, op);
    case 'transfer':
      return transfer(floor, account, op);
    case 'create-group':
    case 'delete-group':
    case 'reset-group':
    case 'trigger-group':
    case 'limit-group':
      return changeOrderGroups(floor, account, op);
  }
}

type AccountChange = Extract<OperatorOp, { account: AccountName }>;

function changeAccount({ ledger }: Floor, op: AccountChange): Answer {
  const account = ledger.account(op.account);
  if (op.type === 'open-account') {
    if (account !== undefined) return refused('already_exists', `account ${op.account}`);
    const { clearing = ledger.account(ownerOf(op.account))?.clearing } = op;
    ledger.open(op.account, { keepsHistory: op.keepsHistory, ...(clearing && { clearing }) });
    return DONE;
  }
  if (account === undefined) return refused('user_not_found', `account ${op.account}`);
  if (!Number.isSafeInteger(op.amount) || op.amount <= 0)
    return refused('invalid_parameters', `deposit: expected a positive amount, found ${op.amount}`);
  ledger.deposit(account, op.amount);
  return DONE;
}

function operatorAsks(floor: Floor, op: Exclude<OperatorOp, AccountChange>): Answer {
  switch (op.type) {
    case 'tick':
      return DONE;
    case 'define-series':
      return defineSeries(floor, op);
    case 'define-group':
      return defineGroup(floor, op);
    case 'define-market':
      return defineMarket(floor, op.market);
    case 'set-fees':
      return setFees(floor, op);
    case 'set-series-fees':
      return setSeriesFees(floor, op);
    case 'set-grid':
      return setGrid(floor, op);
    case 'forget':
      forgetSettled(floor, op.settledBefore);
      return DONE;
    case 'set-exchange':
      floor.isActive = op.isActive;
      floor.isTrading = op.isTrading;
      if (!op.isActive || !op.isTrading) sweepOnPause(floor, floor.markets.values());
      floor.tell({ type: 'exchange', at: floor.now, isActive: op.isActive, isTrading: op.isTrading });
      return DONE;
    default:
      return 'ticker' in op ? moveMarket(floor, op) : unreachable(op);
  }
}
