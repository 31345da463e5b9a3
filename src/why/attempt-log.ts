// Collects the outcome of each answer of a strategy in a market. Equal outcomes in a row within a minute become one.
// Must never keep more than one outcome for each strategy and market.
import { centsText, contractsText } from '../domain/amounts.ts';
import { describeDenial } from '../domain/denial.ts';
import type { Intent } from '../domain/intent.ts';
import type { Order } from '../domain/orders/order.ts';
import type { Notice } from '../execution/engine-notice.ts';
import { minuteOf } from './ask-log.ts';
import type { FactStore } from './fact-store.ts';
import type { AttemptData } from './why-facts.ts';

type Denied = Extract<Notice, { type: 'denied' }>;
type Approved = Extract<Notice, { type: 'approved' }>;

/** The answers of a strategy about a market during one event. */
interface EventAnswers {
  readonly intents: Intent[];
  readonly denied: Denied[];
  readonly approved: Approved[];
  /** Orders that an amend moves. */
  readonly moved: Order[];
  isAsked: boolean;
}

interface Run {
  readonly strategy: string;
  readonly ticker: string;
  readonly atUs: number;
  readonly seq: number;
  readonly data: AttemptData;
  /** Number of its fact; `null` before it is written. */
  id: number | null;
}

/** Time and journal number of an event. */
export interface Occasion {
  readonly atUs: number;
  readonly seq: number;
}

/** The outcomes of the answers in a session. */
export class AttemptLog {
  readonly #store: FactStore;
  /** Answers to the event being handled, by strategy and ticker. Emptied at its end. */
  readonly #answers = new Map<string, EventAnswers>();
  /**
   * The last outcome by strategy and ticker: an equal one may follow. Added with its answer; removed by a different
   * one.
   */
  readonly #runs = new Map<string, Run>();

  constructor(store: FactStore) {
    this.#store = store;
  }

  #answersOf(strategy: string, ticker: string): EventAnswers {
    const key = `${strategy}\n${ticker}`;
    const known = this.#answers.get(key) ?? { intents: [], denied: [], approved: [], moved: [], isAsked: false };
    this.#answers.set(key, known);
    return known;
  }

  addCall(strategy: string, ticker: string): void {
    this.#answersOf(strategy, ticker).isAsked = true;
  }

  addIntent(strategy: string, ticker: string, intent: Intent): void {
    this.#answersOf(strategy, ticker).intents.push(intent);
  }

  addDenied(notice: Denied, ticker: string): void {
    this.#answersOf(notice.strategy, ticker).denied.push(notice);
  }

  addApproved(notice: Approved, ticker: string): void {
    this.#answersOf(notice.strategy, ticker).approved.push(notice);
  }

  addMoved(order: Order, ticker: string): void {
    this.#answersOf(order.strategy, ticker).moved.push(order);
  }

  /** Ends an event: the answers of each strategy about each market become one outcome. */
  endEvent(occasion: Occasion): void {
    if (this.#answers.size === 0) return;
    for (const [key, answers] of this.#answers) {
      const [strategy = '', ticker = ''] = key.split('\n');
      const outcome = outcomeOf(answers, occasion.atUs);
      // A call without an answer ends the row of equal outcomes. The calls themselves are in `AskMinute`.
      if (outcome === null) this.#endRun(key);
      else this.#addOutcome(key, { strategy, ticker, ...occasion, data: outcome, id: null });
    }
    this.#answers.clear();
  }

  #addOutcome(key: string, next: Run): void {
    const run = this.#runs.get(key);
    const isSame =
      run !== undefined &&
      next.data.outcome !== 'sent' &&
      run.data.outcome === next.data.outcome &&
      run.data.code === next.data.code &&
      minuteOf(run.atUs) === minuteOf(next.atUs);
    if (isSame) {
      run.data.count += 1;
      run.data.lastAtUs = next.atUs;
      run.data.lastText = next.data.text;
      return;
    }
    this.#endRun(key);
    this.#runs.set(key, next);
  }

  #endRun(key: string): void {
    const run = this.#runs.get(key);
    if (run) this.#writeRun(run);
    this.#runs.delete(key);
  }

  #writeRun(run: Run): void {
    const { id, ...fact } = run;
    if (id === null) run.id = this.#store.addFact({ kind: 'attempt', ...fact });
    else this.#store.changeFact(id, 'attempt', fact.data);
  }

  /** Writes every outcome, also when an equal one may still follow. */
  flushRuns(): void {
    for (const run of this.#runs.values()) this.#writeRun(run);
  }
}

function outcomeOf({ intents, denied, approved, moved }: EventAnswers, atUs: number): AttemptData | null {
  const [refused] = denied;
  const wanted = intents.find((intent) => intent.type === 'quote' || intent.type === 'place') ?? intents[0];
  const orders = [...approved, ...moved].map(({ clientOrderId }) => clientOrderId);
  const base = { orders, lastAtUs: atUs, count: 1, code: '' };
  const intent = approved[0]?.intent ?? refused?.intent ?? wanted;
  const reason = intent !== undefined && 'reason' in intent ? (intent.reason ?? '') : '';
  if (orders.length > 0) {
    const text = [...approved.map(({ intent: order }) => intentText(order)), ...moved.map(moveText)].join(' and ');
    return { ...base, outcome: 'sent', text, lastText: text, reason };
  }
  if (refused) {
    const { denial } = refused;
    const text = `${intentText(refused.intent)} was denied: ${denial.code}: ${describeDenial(denial)}`;
    return { ...base, outcome: 'denied', code: denial.code, text, lastText: text, reason };
  }
  if (!intent) return null;
  const text = intentText(intent);
  return { ...base, outcome: wantsOrder(intent) ? 'unchanged' : 'none', text, lastText: text, reason };
}

const moveText = ({ clientOrderId, amend, price }: Order): string =>
  `its move of ${clientOrderId} to ${centsText(amend?.price ?? price)}`;

const wantsOrder = (intent: Intent): boolean =>
  intent.type === 'place' || (intent.type === 'quote' && (intent.bid !== null || intent.ask !== null));

/** An intent in words. */
export function intentText(intent: Intent): string {
  switch (intent.type) {
    case 'place':
      return `its order to ${intent.side} ${contractsText(intent.qty)} at ${centsText(intent.price)}`;
    case 'quote':
      return `its quote ${levelText(intent.bid)}/${levelText(intent.ask)}`;
    case 'cancel':
      return `its cancel of ${intent.clientOrderId}`;
    case 'decrease':
      return `its decrease of ${intent.clientOrderId} to ${contractsText(intent.leavesQty)}`;
    case 'cancel-all':
      return 'its cancel of all its orders';
    case 'timer':
      return `its timer ${intent.name}`;
    case 'forecast':
      return `its forecast of ${centsText(intent.probability)}`;
  }
}

const levelText = (level: { readonly price: Parameters<typeof centsText>[0] } | null): string =>
  level === null ? 'none' : centsText(level.price);
