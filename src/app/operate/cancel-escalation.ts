// Cancels every order of a scope: by the bot, or else its watchdog, or else this process. Then reads the venue's list
// of orders. Where the list can be read, must never report success without it. The one exception is a cancel-all that
// the bot has carried out.
import type { SessionStrategies } from '../../domain/orders/client-order-id.ts';
import type { HaltScope, OperatorOrder } from '../../domain/operator-order.ts';
import { type ControlResult, sendControlRequest } from '../../runtime/operator/control-client.ts';
import type { RestingOrder } from '../../runtime/operator/control-messages.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import type { CancelSweepResult, ListedOrder } from '../../runtime/session/cancel-sweep.ts';
import { ConfigError } from '../../base/config-error.ts';
import { KeyFault } from '../../venues/trade-api/signing/key-files.ts';
import { DirectCancel, ordersInScope, ordersOfOtherSessions } from './direct-cancel.ts';
import {
  ACKNOWLEDGED_MS,
  type HaltContext,
  type OperatorContext,
  botTroubleText,
  sendOrderToBot,
} from './operator-context.ts';

/** The result of canceling a scope. */
export interface CancelReport {
  readonly isDone: boolean;
  readonly by: readonly ('bot' | 'watchdog' | 'command')[];
  readonly canceledCount: number;
  /** Orders that may still rest. `null`: not known. */
  readonly left: readonly RestingOrder[] | null;
  /** The venue's list was read: `isDone` and `left` are taken from it. */
  readonly isSeenAtVenue: boolean;
  /** No paper session runs: its account, with every order, ended with it. */
  readonly isPaperOver: boolean;
  readonly halts: readonly string[];
  readonly remarks: readonly string[];
  /** Why this process cannot look at the venue: its key or its config. `null`: it can, or the config names no key. */
  readonly venueFault: string | null;
  readonly elapsedMs: number;
}

type CancelOrder = Extract<OperatorOrder, { type: 'halt' | 'cancel-all' }>;

/** Shares of `withinMs` for the bot and for the watchdog. Each may still succeed after its share. */
const BOT_SHARE = 0.4;
const WATCHDOG_SHARE = 0.3;
/** Least time for an attempt or check by this process, milliseconds, even beyond the deadline. */
const DIRECT_MS_MIN = 2000;

/** Cancels every order in the scope of an operator's instruction. */
export async function cancelScope(context: HaltContext, order: CancelOrder, withinMs: number): Promise<CancelReport> {
  return cancelWith(context, { order, withinMs, isProof: false });
}

/** Cancels as `cancelScope` does. A cancel of all orders also compares the venue's lists. */
export async function cancelAndProve(
  context: OperatorContext,
  order: CancelOrder,
  withinMs: number,
): Promise<CancelReport> {
  return cancelWith(context, { order, withinMs, isProof: true });
}

async function cancelWith(
  context: HaltContext,
  options: Pick<EscalationOptions, 'order' | 'withinMs' | 'isProof'>,
): Promise<CancelReport> {
  const { direct, venueFault } = await connectDirectly(context);
  try {
    return await new CancelEscalation({ context, ...options, direct, venueFault }).run();
  } finally {
    await direct?.close();
  }
}

/** A key or config that cannot be used is reported, and does not stop the bot and its watchdog from canceling. */
async function connectDirectly(context: HaltContext): Promise<Pick<EscalationOptions, 'direct' | 'venueFault'>> {
  const { config, configFault = null } = context;
  if (config === null) return { direct: null, venueFault: configFault };
  try {
    return { direct: await DirectCancel.connect({ ...context, config }), venueFault: null };
  } catch (fault) {
    if (!(fault instanceof KeyFault || fault instanceof ConfigError)) throw fault;
    return { direct: null, venueFault: fault.message };
  }
}

interface EscalationOptions {
  readonly context: HaltContext;
  readonly order: CancelOrder;
  readonly withinMs: number;
  /** Checks a cancel of all orders against the venue's lists, too. A halt is always checked. */
  readonly isProof: boolean;
  /** `null` when this process cannot reach the exchange, or has no key for it. */
  readonly direct: DirectCancel | null;
  readonly venueFault: string | null;
}

class CancelEscalation {
  readonly #options: EscalationOptions;
  readonly #startedMs = performance.now();
  readonly #by: ('bot' | 'watchdog' | 'command')[] = [];
  readonly #remarks: string[] = [];
  #canceledCount = 0;
  /** The bot runs, and did not report in time. */
  #isBotSilent = false;
  #isPaperOver = false;
  #halts: readonly string[] = [];
  #left: readonly RestingOrder[] | null = null;
  /** Orders of the scope in the embedded exchange's list, as the bot read it. `null` when the bot read none. */
  #seenByBot: readonly RestingOrder[] | null = null;

  constructor(options: EscalationOptions) {
    this.#options = options;
  }

  async run(): Promise<CancelReport> {
    const { order, direct, withinMs, isProof } = this.#options;
    const before = order.type === 'cancel-all' && isProof ? await this.#listScope() : null;
    const isDoneByBot = await this.#cancelByBot();
    if (this.#isPaperOver) return this.#report(true, false);
    if (direct === null && this.#seenByBot !== null) return this.#report(isDoneByBot, true);
    // Strategies may quote again at once, so an order that rests a moment later proves nothing.
    if (order.type === 'cancel-all' && isDoneByBot)
      return before === null ? this.#report(true, false) : this.#compareLists(before);
    const isDone = isDoneByBot || (await this.#cancelByWatchdog());
    if (direct === null) {
      const { isPaper } = this.#options.context;
      // On paper the session's own report is all there is to know.
      if (this.#options.venueFault === null && !(isPaper && isDone)) this.#remarks.push(this.#onlyBotText());
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

  /** Returns `null` when this process cannot list orders. */
  async #listScope(): Promise<readonly ListedOrder[] | null> {
    const isOurs = ordersInScope(this.#scope(), this.#readSessions());
    const listed = await this.#options.direct?.listOrders({ isOurs, withinMs: DIRECT_MS_MIN });
    return listed?.left ?? null;
  }

  /** Succeeds when no order of the earlier list is at the venue any longer. */
  async #compareLists(before: readonly ListedOrder[]): Promise<CancelReport> {
    const now = await this.#listScope();
    if (now === null) return this.#report(true, false);
    const earlier = new Set(before.map(({ venueOrderId }) => venueOrderId));
    const left = now.filter(({ venueOrderId }) => earlier.has(venueOrderId));
    this.#left = left.map((order) => ({ ...order, state: 'working' }));
    return this.#report(left.length === 0, true);
  }

  /** If this fails, the session of every order counts as unknown: see `#checkOtherSessions`. */
  #readSessions(): readonly SessionStrategies[] {
    try {
      return this.#options.context.latch.readSessions();
    } catch (fault) {
      this.#remarks.push(`the sessions of this data folder cannot be read: ${String(fault)}`);
      return [];
    }
  }

  /**
   * Looks for orders of unknown sessions when one strategy is canceled. Such an order may belong to the strategy, so
   * its presence is not success.
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
   * Returns the time to wait for orders in flight, at most half of the time left. An order arrives within
   * `orders.grace` after the bot has sent it. A bot that runs and does not answer may send one at any moment.
   */
  #graceMs(leftMs: number): number {
    const graceMs = (this.#options.context.config?.orders.grace ?? 0) / 1000;
    const passedMs = this.#isBotSilent ? 0 : this.#elapsedMs();
    return Math.max(0, Math.min(graceMs - passedMs, leftMs / 2));
  }

  #onlyBotText(): string {
    return this.#options.context.isPaper
      ? 'only the paper session can cancel and list its orders: no other process, nor the exchange, has them'
      : 'only the bot can read its exchange’s list: the config has no address and key for others';
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
    // A paper session has no watchdog.
    if (context.isPaper || this.#scope().type !== 'account') return false;
    const doneMs = Math.floor(withinMs * WATCHDOG_SHARE);
    const path = controlPath(context.dataFolder, 'watchdog');
    const request = { type: 'order', order, withinMs: doneMs } as const;
    const { onReceived } = context;
    const limits = {
      acknowledgedWithinMs: ACKNOWLEDGED_MS,
      doneWithinMs: doneMs + ACKNOWLEDGED_MS,
      ...(onReceived && { onReceived }),
    };
    return this.#addReply('watchdog', await sendControlRequest(path, request, limits));
  }

  #addReply(who: 'bot' | 'watchdog', result: ControlResult): boolean {
    if (result.type === 'absent' && this.#options.context.isPaper) {
      this.#isPaperOver = true;
      this.#left = [];
      return true;
    }
    if (result.type !== 'answered' || result.reply.type !== 'done') {
      if (who === 'bot') this.#remarks.push(botTroubleText(result));
      if (who === 'bot') this.#isBotSilent = result.type === 'silent';
      return false;
    }
    const { report } = result.reply;
    if (who === 'bot') this.#halts = report.halts;
    if (who === 'bot') this.#seenByBot = report.seenAtVenue ?? null;
    this.#remarks.push(...report.remarks);
    // A watchdog that could not read the venue's list reports no order either: what the bot knows stays.
    if (who === 'bot' || report.isDone || report.left.length > 0) this.#left = report.left;
    if (report.withdrawn > 0) this.#by.push(who);
    this.#canceledCount += report.withdrawn;
    return report.isDone;
  }

  #directReport({ isDone, canceled, left, trouble }: CancelSweepResult): CancelReport {
    if (canceled > 0) this.#by.push('command');
    this.#canceledCount += canceled;
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
    const { venueFault } = this.#options;
    // Only the venue's list shows that no order rests.
    const isUnknown = !isDone && !isSeenAtVenue && this.#left?.length === 0;
    return {
      isDone,
      by: this.#by,
      canceledCount: this.#canceledCount,
      left: isUnknown ? null : this.#left,
      isSeenAtVenue,
      isPaperOver: this.#isPaperOver,
      halts: this.#halts,
      remarks: venueFault === null ? this.#remarks : [...this.#remarks, unseenText(venueFault)],
      venueFault,
      elapsedMs,
    };
  }
}

const unseenText = (venueFault: string): string =>
  `this command could not cancel, nor read the exchange’s own list: ${venueFault}`;
