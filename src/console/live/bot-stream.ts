// One reader of a bot's live stream. Messages are made from the bot's present state. Must never queue messages: a slow
// reader gets fewer.
import type { LiveBody, LiveQuery } from '../api/view-schemas.ts';
import type { ConsoleBot, LiveReader } from '../bots/console-bot.ts';
import type { BotState } from '../bots/bot-source.ts';
import type { LiveOrder } from '../../runtime/follow/follow-messages.ts';
import { eventId, seqOfEventId } from './change-ring.ts';
import type { LiveMessage, MessageSource } from './live-message.ts';
import { PendingParts, type PartChange } from './pending-parts.ts';
import { WakeUp } from './wake-up.ts';

const EVENTS_MAX = 500;
/** Most ended orders of a snapshot, the latest. Every open order is sent, however old it is. */
const ENDED_SENT_MAX = 1000;

export interface BotStreamOptions {
  readonly bot: ConsoleBot;
  readonly query: LiveQuery;
  /** Id of the last event before a broken connection. */
  readonly lastEventId?: string | undefined;
  readonly nowMs: () => number;
}

/** Makes the messages for one reader. */
export class BotStream implements LiveReader, MessageSource {
  readonly #options: BotStreamOptions;
  readonly #pending = new PendingParts();
  readonly #wakeUp = new WakeUp();

  constructor(options: BotStreamOptions) {
    this.#options = options;
    const { bot, lastEventId, nowMs } = options;
    const seq = seqOfEventId(lastEventId, sessionOf(bot));
    const missed = seq === null ? null : bot.ring.changesSince(seq, nowMs());
    if (missed === null) this.#pending.addChange({ parts: ['link'], isSnapshot: true });
    else for (const change of missed) this.#pending.addChange(change);
    bot.addReader(this);
  }

  onChange(change: PartChange): void {
    this.#pending.addChange(change);
    this.#wakeUp.signal();
  }

  readonly changed = (): Promise<void> => this.#wakeUp.untilSignaled();

  readonly close = (): void => this.#options.bot.removeReader(this);

  readonly composeMessages = (): readonly LiveMessage[] => {
    const { bot, query } = this.#options;
    this.#wakeUp.clear();
    const { state } = bot.source;
    const messages = state === null ? [] : this.#messagesOf(state, query);
    // The message that the bot is gone comes last, after any figures.
    if (this.#isGone()) messages.push(this.#goneMessage());
    this.#pending.clear();
    const last = messages.at(-1);
    if (last !== undefined) messages[messages.length - 1] = { ...last, id: eventId(sessionOf(bot), bot.ring.seq) };
    return messages;
  };

  #isGone(): boolean {
    return this.#options.bot.source.link !== 'connected';
  }

  #goneMessage(): LiveMessage {
    const { bot, nowMs } = this.#options;
    return { event: 'gone', data: { atUs: nowMs() * 1000, process: bot.process(), isPaper: bot.isPaper } };
  }

  #messagesOf(state: BotState, query: LiveQuery): LiveMessage[] {
    const pending = this.#pending;
    const all = pending.isSnapshot;
    const messages: LiveMessage[] = [];
    if (all) messages.push({ event: 'hello', data: state.hello });
    if (state.session !== null && (all || pending.hasPart('session')))
      messages.push({ event: 'session', data: this.#sessionBody(state.session) });
    messages.push(...this.#viewMessages(state, query));
    if (pending.hasPart('beat') && !this.#isGone()) messages.push(this.#beatMessage());
    return messages;
  }

  #sessionBody({ atUs, value }: NonNullable<BotState['session']>): LiveBody<'session'> {
    return { type: 'session', seq: this.#options.bot.ring.seq, atUs, session: value };
  }

  #viewMessages(state: BotState, query: LiveQuery): LiveMessage[] {
    switch (query.view) {
      case 'session':
        return [];
      case 'markets':
        return this.#isDue('markets') ? [{ event: 'marketsPage', data: this.#options.bot.marketsPage(query) }] : [];
      case 'market':
        return this.#detailMessages(state, query.market ?? '');
      case 'orders':
        return this.#orderMessages(state);
      case 'events':
        return this.#eventMessages(state);
    }
  }

  #isDue(part: PartChange['parts'][number]): boolean {
    return this.#pending.isSnapshot || this.#pending.hasPart(part);
  }

  #detailMessages(state: BotState, ticker: string): LiveMessage[] {
    const detail = state.details.get(ticker);
    if (detail === undefined || !(this.#pending.isSnapshot || this.#pending.hasDetail(ticker))) return [];
    const { atUs, value } = detail;
    return [{ event: 'detail', data: { type: 'detail', seq: this.#options.bot.ring.seq, atUs, market: value } }];
  }

  #orderMessages({ orders }: BotState): LiveMessage[] {
    const ids = this.#pending.isSnapshot ? null : this.#pending.orders;
    if (ids?.length === 0) return [];
    const changed = ids?.flatMap((id) => orders.get(id) ?? []) ?? ordersOfSnapshot([...orders.values()]);
    return [{ event: 'orders', data: this.#ordersBody(changed, ids === null) }];
  }

  #ordersBody(orders: LiveOrder[], isSnapshot: boolean): LiveBody<'orders'> {
    return { type: 'orders', seq: this.#options.bot.ring.seq, isSnapshot, orders };
  }

  #eventMessages({ events }: BotState): LiveMessage[] {
    if (this.#pending.isSnapshot && events.length === 0) return [{ event: 'events', data: this.#eventsBody([]) }];
    const first = this.#pending.isSnapshot ? (events.at(0)?.number ?? null) : this.#pending.firstEvent;
    if (first === null) return [];
    const due = events.filter(({ number }) => number >= first).slice(-EVENTS_MAX);
    const from = due.at(0)?.number ?? first;
    const lost = from > first && !this.#pending.isSnapshot ? [this.#lostMessage(first, from - 1)] : [];
    if (due.length === 0) return lost;
    return [...lost, { event: 'events', data: this.#eventsBody(due) }];
  }

  #eventsBody(events: LiveBody<'events'>['events']): LiveBody<'events'> {
    return { type: 'events', seq: this.#options.bot.ring.seq, events };
  }

  #lostMessage(first: number, last: number): LiveMessage {
    const text = `The events ${first} to ${last} did not reach this page. The history has them.`;
    return { event: 'notice', data: { atUs: this.#options.nowMs() * 1000, code: 'lost', text } };
  }

  #beatMessage(): LiveMessage {
    const { bot } = this.#options;
    const atUs = bot.source.lastFrameUs ?? 0;
    const loopLateMs = bot.source.state?.session?.value.clock.loopLateMs ?? 0;
    return { event: 'beat', data: { type: 'beat', seq: bot.ring.seq, atUs, loopLateMs } };
  }
}

const ordersOfSnapshot = (orders: readonly LiveOrder[]): LiveOrder[] => [
  ...orders.filter(({ isOpen }) => !isOpen).slice(-ENDED_SENT_MAX),
  ...orders.filter(({ isOpen }) => isOpen),
];

const sessionOf = (bot: ConsoleBot): string => bot.source.state?.hello.session ?? 'none';
