// Cancels every order of a scope by whatever works: the bot, or else its watchdog, or else this process. Then reads the
// venue's own list. Must never report success without that list while it can be read, except for a cancel-all that the
// bot has carried out.
import type { SessionStrategies } from '../../domain/orders/client-order-id.ts';
import type { HaltScope, OperatorOrder } from '../../domain/operator-order.ts';
import { type ControlResult, sendControlRequest } from '../../runtime/operator/control-client.ts';
import type { RestingOrder } from '../../runtime/operator/control-messages.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import type { CancelSweepResult } from '../../runtime/session/cancel-sweep.ts';
import { DirectCancel, ordersInScope, ordersOfOtherSessions } from './direct-cancel.ts';
import { ACKNOWLEDGED_MS, type OperatorContext, botTroubleText, sendOrderToBot } from './operator-context.ts';

/** The result of canceling a scope. */
export interface CancelReport {
  readonly isDone: boolean;
  /** The processes by which orders were canceled. */
  readonly by: readonly ('bot' | 'watchdog' | 'command')[];
  /** Orders that may still rest; `null` when unknown. */
  readonly left: readonly RestingOrder[] | null;
  /** True when the venue's own list was read, which then decides. */
  readonly isSeenAtVenue: boolean;
  readonly halts: readonly string[];
  readonly remarks: readonly string[];
  readonly elapsedMs: number;
}

type CancelOrder = Extract<OperatorOrder, { type: 'halt' | 'cancel-all' }>;

/** Shares of the time after which the next process is tried, although the bot may still succeed. */
const BOT_SHARE = 0.4;
const WATCHDOG_SHARE = 0.3;
/** Least time for each attempt or check of this process, milliseconds, even beyond the deadline. */
const DIRECT_MS_MIN = 2000;

/** Cancels every order in the scope of an operator's instruction. */
export async function cancelScope(
  context: OperatorContext,
  order: CancelOrder,
  withinMs: number,
): Promise<CancelReport> {
  const direct = await DirectCancel.connect(context.config, context.log);
  try {
    return await new CancelEscalation({ context, order, withinMs, direct }).run();
  } finally {
    await direct?.close();
  }
}

interface EscalationOptions {
  readonly context: OperatorContext;
  readonly order: CancelOrder;
  readonly withinMs: number;
  /** `null` when this process cannot reach the exchange, or has no key for it. */
  readonly direct: DirectCancel | null;
}

class CancelEscalation {
  readonly #options: EscalationOptions;
  readonly #startedMs = performance.now();
  readonly #by: ('bot' | 'watchdog' | 'command')[] = [];
  readonly #remarks: string[] = [];
  #halts: readonly string[] = [];
  #left: readonly RestingOrder[] | null = null;

  constructor(options: EscalationOptions) {
    this.#options = options;
  }

  async run(): Promise<CancelReport> {
    const { order, direct, withinMs } = this.#options;
    const isDoneByBot = await this.#cancelByBot();
    // Strategies may quote again at once, so an order that rests a moment later proves nothing.
    if (order.type === 'cancel-all' && isDoneByBot) return this.#report(true, false);
    const isDone = isDoneByBot || (await this.#cancelByWatchdog());
    if (direct === null) {
      this.#remarks.push('only the bot can read its exchange’s list: the config has no address and key for others');
      return this.#report(isDone, false);
    }
    const leftMs = Math.max(DIRECT_MS_MIN, withinMs - this.#elapsedMs());
    const sessions = this.#readSessions();
    const result = await direct.cancelOrders({
      isOurs: ordersInScope(this.#scope(), sessions),
      graceMs: isDone ? 0 : this.#graceMs(leftMs),
      withinMs: leftMs,
    });
    return this.#directReport(result.isDone ? await this.#checkOtherSessions(direct, result, sessions) : result);
  }

  /**
   * Reads the sessions of the data folder. When this fails, every strategy's order seems to come from an unknown
   * session, and is reported.
   */
  #readSessions(): readonly SessionStrategies[] {
    try {
      return this.#options.context.latch.readSessions();
    } catch (fault) {
      this.#remarks.push(`the sessions of this data folder cannot be read: ${String(fault)}`);
      return [];
    }
  }

  /**
   * Looks for orders of unknown sessions when a strategy is canceled. Such an order may belong to the strategy: it is
   * left alone, and the result is not success.
   */
  async #checkOtherSessions(
    direct: DirectCancel,
    result: CancelSweepResult,
    sessions: readonly SessionStrategies[],
  ): Promise<CancelSweepResult> {
    if (this.#scope().type !== 'strategy') return result;
    const { left } = await direct.listOrders({ isOurs: ordersOfOtherSessions(sessions), withinMs: DIRECT_MS_MIN });
    if (left?.length === 0) return result;
    this.#remarks.push(
      left === null
        ? 'orders of other sessions could not be looked for'
        : 'left alone: orders of sessions that did not run on this data folder, whose strategies are not known; ' +
            'without --scope, all of them are canceled',
    );
    return { ...result, isDone: false, left };
  }

  /**
   * Returns the time to wait for orders in flight. An order that was sent before this cancel arrives within this time.
   * For a halt, no later order of a strategy follows: the latch was written first.
   */
  #graceMs(leftMs: number): number {
    const graceMs = this.#options.context.config.orders.grace / 1000;
    return Math.max(0, Math.min(graceMs - this.#elapsedMs(), leftMs / 2));
  }

  #scope(): HaltScope {
    return this.#options.order.scope;
  }

  async #cancelByBot(): Promise<boolean> {
    const { context, order, withinMs, direct } = this.#options;
    // When only the bot can cancel, it gets all the time.
    const shareMs = direct === null ? withinMs : withinMs * BOT_SHARE;
    return this.#addReply('bot', await sendOrderToBot(context, order, Math.floor(shareMs)));
  }

  async #cancelByWatchdog(): Promise<boolean> {
    const { context, order, withinMs } = this.#options;
    if (this.#scope().type !== 'account') return false;
    const doneMs = Math.floor(withinMs * WATCHDOG_SHARE);
    const path = controlPath(context.dataFolder, 'watchdog');
    const request = { type: 'order', order, withinMs: doneMs } as const;
    const limits = { acknowledgedWithinMs: ACKNOWLEDGED_MS, doneWithinMs: doneMs + ACKNOWLEDGED_MS };
    return this.#addReply('watchdog', await sendControlRequest(path, request, limits));
  }

  #addReply(who: 'bot' | 'watchdog', result: ControlResult): boolean {
    if (result.type !== 'answered' || result.reply.type !== 'done') {
      if (who === 'bot') this.#remarks.push(botTroubleText(result));
      return false;
    }
    const { report } = result.reply;
    if (who === 'bot') this.#halts = report.halts;
    this.#remarks.push(...report.remarks);
    this.#left = report.left;
    if (report.withdrawn > 0) this.#by.push(who);
    return report.isDone;
  }

  #directReport({ isDone, canceled, left, trouble }: CancelSweepResult): CancelReport {
    if (canceled > 0) this.#by.push('command');
    if (trouble !== null) this.#remarks.push(`trouble meanwhile: ${trouble}`);
    if (left === null) return this.#report(false, false);
    this.#left = left.map((order) => ({ ...order, state: 'working' }));
    return this.#report(isDone, true);
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#startedMs);
  }

  #report(isDone: boolean, isSeenAtVenue: boolean): CancelReport {
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
