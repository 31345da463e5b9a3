// The live data of the bot in view, as signals. Must never keep the data of another bot or market.
import { batch, computed, signal } from '@preact/signals';
import type { Action, BotRow, MarketsPage } from '../../api/api-schemas.ts';
import type {
  FollowFrame,
  LiveEvent,
  LiveOrder,
  LiveSessionPart,
  MarketDetail,
} from '../../../runtime/follow/follow-messages.ts';
import { parseAnswer } from './answer-text.ts';
import { joinEvents } from './event-span.ts';
import type { LiveEventName } from './live-stream.ts';

type Hello = Extract<FollowFrame, { type: 'hello' }>;

/** A value and the time at which the bot sent it. Microseconds. */
export interface Dated<T> {
  readonly atUs: number;
  readonly value: T;
}

const ENDED_ORDERS_MAX = 2000;

export const bots = signal<readonly BotRow[] | null>(null);
export const hello = signal<Hello | null>(null);
export const session = signal<Dated<LiveSessionPart> | null>(null);
export const marketsPage = signal<MarketsPage | null>(null);
export const detail = signal<Dated<MarketDetail> | null>(null);
/** By client order id, as they arrived; `null` before the first list. */
export const orders = signal<ReadonlyMap<string, LiveOrder> | null>(null);
/** Oldest first; `null` before the first list. */
export const events = signal<readonly LiveEvent[] | null>(null);
/** The process of a bot that does not answer; `null` while it answers. */
export const goneProcess = signal<BotRow['process'] | null>(null);
/** True for a paper session that has not answered since it came into view. */
const isPaperSilent = signal(false);
/** True for a paper session. Its commands need `--paper`: without it they act on the live bot. */
export const isPaper = computed(() => hello.value?.isPaper ?? isPaperSilent.value);
/** True while the bot does not answer the console. */
export const isGone = computed(() => goneProcess.value !== null);
/** The console's last remark about the stream, such as a loss of events. */
export const notice = signal<string | null>(null);
/** Controls that this page sent, newest first. */
export const actions = signal<readonly Action[]>([]);

/** Forgets the data of the bot. */
export const clearBot = (): void =>
  batch(() => {
    hello.value = null;
    session.value = null;
    marketsPage.value = null;
    orders.value = null;
    events.value = null;
    goneProcess.value = null;
    isPaperSilent.value = false;
    notice.value = null;
    detail.value = null;
  });

/** Applies an event of the stream. Returns the bot's time in the event, or `null`. */
export function applyEvent(name: LiveEventName, data: string): number | null {
  switch (name) {
    case 'overview': {
      const { bots: rows }: { bots: BotRow[] } = parseAnswer(data);
      bots.value = rows;
      return null;
    }
    case 'hello':
      return applyHello(parseAnswer(data));
    case 'session': {
      const { atUs, session: value }: { atUs: number; session: LiveSessionPart } = parseAnswer(data);
      batch(() => {
        session.value = { atUs, value };
        goneProcess.value = null;
      });
      return atUs;
    }
    case 'marketsPage': {
      const page: MarketsPage = parseAnswer(data);
      marketsPage.value = page;
      return page.asOfUs;
    }
    case 'detail': {
      const { atUs, market }: { atUs: number; market: MarketDetail } = parseAnswer(data);
      detail.value = { atUs, value: market };
      return atUs;
    }
    case 'orders':
      applyOrders(parseAnswer(data));
      return null;
    case 'events':
      applyEvents(parseAnswer(data));
      return null;
    case 'beat': {
      const { atUs }: { atUs: number } = parseAnswer(data);
      return atUs;
    }
    case 'gone': {
      const gone: Pick<BotRow, 'process' | 'isPaper'> = parseAnswer(data);
      batch(() => {
        goneProcess.value = gone.process;
        isPaperSilent.value = gone.isPaper;
      });
      return null;
    }
    case 'notice': {
      const { text = null }: { text?: string | null } = parseAnswer(data);
      notice.value = text;
      return null;
    }
  }
}

function applyHello(message: Hello): number {
  batch(() => {
    if (hello.value !== null && hello.value.session !== message.session) {
      orders.value = null;
      events.value = null;
    }
    hello.value = message;
    goneProcess.value = null;
  });
  return message.atUs;
}

function applyOrders({ isSnapshot, orders: rows }: { isSnapshot: boolean; orders: LiveOrder[] }): void {
  const next = new Map(isSnapshot ? [] : orders.value);
  for (const row of rows) next.set(row.clientOrderId, row);
  let surplus = next.size - ENDED_ORDERS_MAX;
  for (const [id, { isOpen }] of next) {
    if (surplus <= 0) break;
    if (isOpen) continue;
    next.delete(id);
    surplus--;
  }
  orders.value = next;
}

function applyEvents({ events: rows }: { events: LiveEvent[] }): void {
  events.value = joinEvents(events.value ?? [], rows);
}
