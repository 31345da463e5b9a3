// The exchange state machine. An input moves the clock; then everything that is due happens; then the operation is
// applied. Must never let a refused operation change an order, a position or cash.
import type { EventTicker, SeriesTicker, Ticker } from '../../domain/ids.ts';
import { type Micros, money } from '../../domain/units.ts';
import { auditState } from './state-audit.ts';
import { amendOrder, cancelById, cancelAllOf, decreaseOrder, qtyAheadOf, cancelForPause } from './order-changes.ts';
import type { Exchange } from './exchange-interface.ts';
import { setGroupFees } from '../markets/fee-terms.ts';
import { ExchangeState } from './exchange-state.ts';
import { type ExchangeImage, stateFromImage, imageOf } from '../store/exchange-image.ts';
import { removeSettledBefore, retainedCounts } from '../markets/settled-removal.ts';
import type { AccountName, AccountOp, Input, Op, OperatorOp } from './exchange-input.ts';
import {
  applyDueTransition,
  defineGroup,
  defineMarket,
  defineSeries,
  applyMarketOp,
} from '../markets/market-transitions.ts';
import { applyOrderGroupOp } from '../accounts/order-group-changes.ts';
import type { Answer, LedgerView, StepResult } from './exchange-output.ts';
import { placeOrder, refusedAnswer } from './order-placement.ts';
import { ownerOf } from '../accounts/collateral-accounts.ts';
import type { Account, Holding } from './exchange-records.ts';
import { cancelOrder } from './resting-orders.ts';
import { changeGrid } from '../markets/grid-change.ts';
import { applySeriesFees, setSeriesFees } from '../markets/series-fees.ts';
import { applyTransfer } from '../accounts/cash-transfers.ts';
import {
  balanceView,
  bookView,
  marketView,
  orderGroupView,
  orderView,
  positionView,
  statsOf,
} from './exchange-views.ts';

const DONE: Answer = { type: 'done' };

/**
 * Creates an empty exchange.
 * @param salt A number that makes its ids differ from other exchanges' ids.
 */
export function createExchange(salt: number): Exchange {
  return new Machine(new ExchangeState(salt));
}

/**
 * Restores an exchange from its image.
 * @param salt must be the salt with which the exchange was created.
 * @throws {AssertionFault} when the image is inconsistent.
 */
export function restoreExchange(salt: number, image: ExchangeImage): Exchange {
  return new Machine(stateFromImage(salt, image));
}

class Machine implements Exchange {
  readonly #state: ExchangeState;

  constructor(state: ExchangeState) {
    this.#state = state;
  }

  step({ at, op }: Input): StepResult {
    const state = this.#state;
    state.now = Math.max(state.now, at) as Micros;
    state.seq++;
    applyDueChanges(state);
    const answer = applyOp(state, op);
    return { seq: state.seq, at: state.now, answer, facts: state.finishStep() };
  }

  image(): ExchangeImage {
    return imageOf(this.#state);
  }

  audit(): void {
    auditState(this.#state);
  }

  get now() {
    return this.#state.now;
  }

  get seq() {
    return this.#state.seq;
  }

  get isActive() {
    return this.#state.isActive;
  }

  get isTrading() {
    return this.#state.isTrading;
  }

  get isMaintenance() {
    return this.#state.isMaintenance;
  }

  allSeries = () => [...this.#state.series.values()];
  series = (ticker: SeriesTicker) => this.#state.series.get(ticker);
  groups = () => [...this.#state.groups.values()];
  group = (ticker: EventTicker) => this.#state.groups.get(ticker);
  markets = () => [...this.#state.markets.values()].map((market) => marketView(market, this.now));

  wasConfigured = (ticker: Ticker) => this.#state.configured.has(ticker);

  market(ticker: Ticker) {
    const market = this.#state.markets.get(ticker);
    return market && marketView(market, this.now);
  }

  marketsOf(group: EventTicker) {
    return [...(this.#state.marketsByGroup.get(group) ?? [])].map((market) => marketView(market, this.now));
  }

  statusOf(ticker: Ticker) {
    return this.#state.markets.get(ticker)?.status;
  }

  book(ticker: Ticker, depth = 0) {
    const market = this.#state.markets.get(ticker);
    return market && bookView(market, depth);
  }

  stats(ticker: Ticker) {
    const market = this.#state.markets.get(ticker);
    return market && statsOf(market, this.now);
  }

  prints = (ticker: Ticker) => this.#state.markets.get(ticker)?.history.prints ?? [];
  bars = (ticker: Ticker) => this.#state.markets.get(ticker)?.history.bars ?? [];
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
    return order && qtyAheadOf(order);
  }

  fills = (name: AccountName) => [...(this.#account(name)?.fills ?? [])];
  settlements = (name: AccountName) => [...(this.#account(name)?.settlements ?? [])];
  orderGroups = (name: AccountName) => [...(this.#account(name)?.orderGroups.values() ?? [])].map(orderGroupView);

  orderGroup(name: AccountName, groupId: string) {
    const group = this.#account(name)?.orderGroups.get(groupId);
    return group && orderGroupView(group);
  }

  transfers = (name: AccountName) => [...(this.#account(name)?.transfers.values() ?? [])];
  feeChanges = (series: SeriesTicker) => this.#state.feeChanges.filter((each) => each.seriesTicker === series);
  ledger = () => ledgerView(this.#state);
  retained = () => retainedCounts(this.#state);
  nextDue = () => this.#state.timers.nextAt();

  #holding(name: AccountName, ticker: Ticker): Holding | undefined {
    const market = this.#state.markets.get(ticker);
    return market && this.#account(name)?.holdings.get(market.index);
  }

  #account(name: AccountName): Account | undefined {
    return this.#state.ledger.account(name);
  }
}

function positionsOf(account: Account | undefined) {
  const holdings = [...(account?.holdings.values() ?? [])];
  return holdings.filter((holding) => holding.tradedQty > 0).map(positionView);
}

function ledgerView({ ledger }: ExchangeState): LedgerView {
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

function applyDueChanges(state: ExchangeState): void {
  for (let due = state.timers.popDue(state.now); due !== null; due = state.timers.popDue(state.now)) {
    if (due.type === 'expire') cancelOrder(state, due.order, 'ExpiryCancel');
    else if (due.type === 'fees') applySeriesFees(state, due.seriesTicker, due.fees);
    else applyDueTransition(state, due.market, due.type);
  }
}

function applyOp(state: ExchangeState, op: Op): Answer {
  if (!('account' in op)) return applyOperatorOp(state, op);
  if (op.type === 'open-account' || op.type === 'deposit') return changeAccount(state, op);
  const account = state.ledger.account(op.account);
  return account === undefined
    ? refusedAnswer('user_not_found', `account ${op.account}`)
    : applyAccountOp(state, account, op);
}

function applyAccountOp(state: ExchangeState, account: Account, op: AccountOp): Answer {
  switch (op.type) {
    case 'place':
      return placeOrder(state, account, op.order);
    case 'place-batch':
      return { type: 'batch', answers: op.orders.map((order) => placeOrder(state, account, order)) };
    case 'cancel':
      return cancelById(state, account, op.orderId);
    case 'cancel-batch':
      return { type: 'batch', answers: op.orderIds.map((orderId) => cancelById(state, account, orderId)) };
    case 'cancel-all':
      return cancelAllOf(state, account, op.ticker);
    case 'amend':
      return amendOrder(state, account, op.amendment);
    case 'decrease':
      return decreaseOrder(state, account, op);
    case 'transfer':
      return applyTransfer(state, account, op);
    case 'create-group':
    case 'delete-group':
    case 'reset-group':
    case 'trigger-group':
    case 'limit-group':
      return applyOrderGroupOp(state, account, op);
  }
}

type AccountChange = Extract<OperatorOp, { account: AccountName }>;

function changeAccount({ ledger }: ExchangeState, op: AccountChange): Answer {
  const account = ledger.account(op.account);
  if (op.type === 'open-account') {
    if (account !== undefined) return refusedAnswer('already_exists', `account ${op.account}`);
    const { clearing = ledger.account(ownerOf(op.account))?.clearing } = op;
    ledger.openAccount(op.account, { keepsHistory: op.keepsHistory, ...(clearing && { clearing }) });
    return DONE;
  }
  if (account === undefined) return refusedAnswer('user_not_found', `account ${op.account}`);
  if (!Number.isSafeInteger(op.amount) || op.amount <= 0)
    return refusedAnswer('invalid_parameters', `deposit: expected a positive amount, found ${op.amount}`);
  ledger.depositCash(account, op.amount);
  return DONE;
}

function applyOperatorOp(state: ExchangeState, op: Exclude<OperatorOp, AccountChange>): Answer {
  switch (op.type) {
    case 'tick':
      return DONE;
    case 'define-series':
      return defineSeries(state, op);
    case 'define-group':
      return defineGroup(state, op);
    case 'define-market': {
      const answer = defineMarket(state, op.market);
      if (op.isConfigured && answer.type !== 'refused') state.configured.add(op.market.ticker);
      return answer;
    }
    case 'set-fees':
      return setGroupFees(state, op);
    case 'set-series-fees':
      return setSeriesFees(state, op);
    case 'set-grid':
      return changeGrid(state, op);
    case 'forget':
      removeSettledBefore(state, op.settledBefore);
      return DONE;
    case 'set-exchange':
      state.isActive = op.isActive;
      state.isTrading = op.isTrading;
      state.isMaintenance = !op.isTrading && (op.isMaintenance ?? state.isMaintenance);
      if (!op.isActive || !op.isTrading) cancelForPause(state, state.markets.values());
      state.emitFact({ type: 'exchange', at: state.now, isActive: op.isActive, isTrading: op.isTrading });
      return DONE;
    case 'halt':
    case 'resume':
    case 'close':
    case 'move-close':
    case 'determine':
    case 'dispute':
    case 'uphold':
    case 'amend-result':
    case 'settle':
      return applyMarketOp(state, op);
  }
}
