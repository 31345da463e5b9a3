// Has everything within a scope withdrawn by whoever can: the bot, else its watchdog, else this process itself; and looks
// at the venue's own list in the end. Must never call it done on anybody's word while the venue can be asked.
import type { SessionStrategies } from '../../domain/client-order-id.ts';
import type { HaltScope, OperatorOrder } from '../../domain/operator-order.ts';
import { type ControlResult, sendControlRequest } from '../../runtime/operator/control-client.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import type { RestingOrder } from '../../runtime/operator/control-messages.ts';
import type { CancelSweepResult } from '../../runtime/session/cancel-sweep.ts';
import { ACKNOWLEDGED_MS, type OperatorContext, sendOrderToBot, botTroubleText } from './operator-context.ts';
import { DirectCancel, ordersOfOtherSessions, ordersInScope } from './direct-cancel.ts';

/** What came of a withdrawal. */
export interface CancelReport {
  readonly isDone: boolean;
  /** Whoever withdrew something. */
  readonly by: readonly ('bot' | 'watchdog' | 'command')[];
  /** What may still rest; `null` when nobody could tell. */
  readonly left: readonly RestingOrder[] | null;
  /** Whether the venue's own list was read, and so decides. */
  readonly isSeenAtVenue: boolean;
  readonly halts: readonly string[];
  readonly remarks: readonly string[];
  readonly elapsedMs: number;
}

type WithdrawalOrder = Extract<OperatorOrder, { type: 'halt' | 'cancel-all' }>;

/** Shares of the time after which others are asked too, although the bot may yet do it. */
const BOT_SHARE = 0.4;
const WATCHDOG_SHARE = 0.3;
/** A try by this process itself, or a look at what others did, is worth so much more than the deadline. */
const LOOK_MS = 2000;

/** Withdraws. */
export async function cancelScope(operation: OperatorContext, order: WithdrawalOrder, withinMs: number): Promise<CancelReport> {
  const hands = await DirectCancel.connect(operation.config, operation.log);
  try {
    return await new Withdrawing({ operation, order, withinMs, hands }).run();
  } finally {
    await hands?.close();
  }
}

interface WithdrawingOptions {
  readonly operation: OperatorContext;
  readonly order: WithdrawalOrder;
  readonly withinMs: number;
  readonly hands: DirectCancel | null;
}

class Withdrawing {
  readonly #options: WithdrawingOptions;
  readonly #startedMs = performance.now();
  readonly #by: ('bot' | 'watchdog' | 'command')[] = [];
  readonly #remarks: string[] = [];
  #halts: readonly string[] = [];
  #left: readonly RestingOrder[] | null = null;

  constructor(options: WithdrawingOptions) {
    this.#options = options;
  }

  async run(): Promise<CancelReport> {
    const { order, hands, withinMs } = this.#options;
    const isDoneByBot = await this.#askBot();
    // Strategies may quote again at once: what rests a moment later proves nothing.
    if (order.type === 'cancel-all' && isDoneByBot) return this.#end(true, false);
    const isDone = isDoneByBot || (await this.#askWatchdog());
    if (hands === null) {
      this.#remarks.push('nobody but the bot can look at its exchange: it has no address and key of its own');
      return this.#end(isDone, false);
    }
    const leftMs = Math.max(LOOK_MS, withinMs - this.#elapsedMs());
    const sessions = this.#sessions();
    const end = await hands.cancelOrders({
      isOurs: ordersInScope(this.#scope(), sessions),
      graceMs: isDone ? 0 : this.#graceMs(leftMs),
      withinMs: leftMs,
    });
    return this.#endWith(end.isDone ? await this.#lookForOthers(hands, end, sessions) : end);
  }

  /** Without them every order of a strategy is of a session that is not known, and is reported. */
  #sessions(): readonly SessionStrategies[] {
    try {
      return this.#options.operation.latch.readSessions();
    } catch (fault) {
      this.#remarks.push(`the sessions of this data folder cannot be read: ${String(fault)}`);
      return [];
    }
  }

  /** An order of a session that is not known may be the strategy's: it is left alone, and nothing is called done. */
  async #lookForOthers(
    hands: DirectCancel,
    end: CancelSweepResult,
    sessions: readonly SessionStrategies[],
  ): Promise<CancelSweepResult> {
    if (this.#scope().type !== 'strategy') return end;
    const { left } = await hands.listOrders({ isOurs: ordersOfOtherSessions(sessions), withinMs: LOOK_MS });
    if (left?.length === 0) return end;
    this.#remarks.push(
      left === null
        ? 'orders of other sessions could not be looked for'
        : 'left alone: orders of sessions that did not run on this data folder, whose strategies are not known; ' +
            'without --scope, all of them are canceled',
    );
    return { ...end, isDone: false, left };
  }

  /** No order leaves past the latch, which was written before this began: what was sent before arrives by then. */
  #graceMs(leftMs: number): number {
    const graceMs = this.#options.operation.config.orders.grace / 1000;
    return Math.max(0, Math.min(graceMs - this.#elapsedMs(), leftMs / 2));
  }

  #scope(): HaltScope {
    return this.#options.order.scope;
  }

  async #askBot(): Promise<boolean> {
    const { operation, order, withinMs, hands } = this.#options;
    // Where nobody else can do it, the bot has all the time there is.
    const shareMs = hands === null ? withinMs : withinMs * BOT_SHARE;
    const asked = await sendOrderToBot(operation, order, Math.floor(shareMs));
    return this.#take('bot', asked);
  }

  async #askWatchdog(): Promise<boolean> {
    const { operation, order, withinMs } = this.#options;
    if (this.#scope().type !== 'account') return false;
    const doneMs = Math.floor(withinMs * WATCHDOG_SHARE);
    const path = controlPath(operation.dataFolder, 'watchdog');
    const request = { type: 'order', order, withinMs: doneMs } as const;
    return this.#take(
      'watchdog',
      await sendControlRequest(path, request, { acknowledgedWithinMs: ACKNOWLEDGED_MS, doneWithinMs: doneMs + ACKNOWLEDGED_MS }),
    );
  }

  #take(who: 'bot' | 'watchdog', asked: ControlResult): boolean {
    if (asked.type !== 'answered' || asked.reply.type !== 'done') {
      if (who === 'bot') this.#remarks.push(botTroubleText(asked));
      return false;
    }
    const { report } = asked.reply;
    if (who === 'bot') this.#halts = report.halts;
    this.#remarks.push(...report.remarks);
    this.#left = report.left;
    if (report.withdrawn > 0) this.#by.push(who);
    return report.isDone;
  }

  #endWith({ isDone, canceled, left, trouble }: CancelSweepResult): CancelReport {
    if (canceled > 0) this.#by.push('command');
    if (trouble !== null) this.#remarks.push(`on the way: ${trouble}`);
    if (left === null) return this.#end(false, false);
    this.#left = left.map((one) => ({ ...one, state: 'working' }));
    return this.#end(isDone, true);
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedMs);
  }

  #end(isDone: boolean, isSeenAtVenue: boolean): CancelReport {
    const elapsedMs = this.#elapsedMs();
    return {
      isDone,
      by: this.#by,
      left: this.#left,
      isSeenAtVenue,
      halts: this.#halts,
      remarks: this.#remarks,
      elapsedMs,
    };
  }
}

/** A withdrawal, for people. */
export function cancelLines(withdrawal: CancelReport): string[] {
  const { isDone, by, left, isSeenAtVenue, remarks, elapsedMs } = withdrawal;
  const seconds = (elapsedMs / 1000).toFixed(1);
  const who = by.map((one) => (one === 'command' ? 'this command itself' : `the ${one}`)).join(' and ');
  const seen = isSeenAtVenue ? 'the exchange’s own list shows nothing left' : 'nothing is left, by the word of the bot';
  const head = isDone
    ? `${seen}${who === '' ? '' : `; withdrawn by ${who}`} (${seconds} s)`
    : `NOT DONE after ${seconds} s: ${left === null ? 'nobody could tell what rests' : `${left.length} orders MAY STILL REST`}`;
  const rows = (left ?? []).map(
    ({ venueOrderId, clientOrderId, ticker, state }) => `  ${ticker}  ${venueOrderId ?? clientOrderId ?? ''}  ${state}`,
  );
  return [head, ...(isDone ? [] : rows), ...remarks];
}
