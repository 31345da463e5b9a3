// The live data of the bot in view, as signals. Must never keep the data of another bot or market.
import { batch, computed, signal } from '@preact/signals';
import type { Action, BotRow, MarketsPage } from '../../api/api-schemas.ts';
import type { LiveEventName } from '../../api/view-schemas.ts';
import type {
  FollowFrame,
  LiveEvent,
  LiveOrder,
  LiveSessionPart,
  MarketDetail,
} from '../../../runtime/follow/follow-messages.ts';
import { parseAnswer } from './answer-text.ts';
import { joinEvents } from './event-span.ts';

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

/**
 * Applies an event of the stream. Returns the console's present time, or `null` where the event has only the time of a
 * figure: the figures of a bot that died yesterday are of yesterday.
 */
export function applyEvent(name: LiveEventName, data: string): number | null {
  switch (name) {
    case 'overview': {
      const { atUs, bots: rows }: { atUs: number; bots: BotRow[] } = parseAnswer(data);
      bots.value = rows;
      return atUs;
    }
    case 'hello':
      applyHello(parseAnswer(data));
      return null;
    case 'session': {
      const { atUs, session: value }: { atUs: number; session: LiveSessionPart } = parseAnswer(data);
      batch(() => {
        session.value = { atUs, value };
        goneProcess.value = null;
      });
      return null;
    }
    case 'marketsPage': {
      const page: MarketsPage = parseAnswer(data);
      marketsPage.value = page;
      return null;
    }
    case 'detail': {
      const { atUs, market }: { atUs: number; market: MarketDetail } = parseAnswer(data);
      detail.value = { atUs, value: market };
      return null;
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
      const gone: Pick<BotRow, 'process' | 'isPaper'> & { readonly atUs: number } = parseAnswer(data);
      batch(() => {
        goneProcess.value = gone.process;
        isPaperSilent.value = gone.isPaper;
      });
      return gone.atUs;
    }
    case 'notice': {
      const { text = null }: { text?: string | null } = parseAnswer(data);
      notice.value = text;
      return null;
    }
  }
}

function applyHello(message: Hello): void {
  batch(() => {
    if (hello.value !== null && hello.value.session !== message.session) {
      orders.value = null;
      events.value = null;
    }
    hello.value = message;
    goneProcess.value = null;
  });
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
