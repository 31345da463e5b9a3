// A venue for paper trading: the real one's public feed and reads, and a simulated account in place of ours. Orders never
// leave this process. Must never send the real venue anything but public reads and subscriptions.
import type { FeedCommand, RequestCommand } from '../domain/command.ts';
import { unreachable } from '../domain/assert.ts';
import type { EngineEvent } from '../domain/event.ts';
import { type EventOf, isOf } from '../domain/event-kinds.ts';
import { type Micros, micros } from '../domain/units.ts';
import type { Scheduler, Timer } from '../transport/scheduler.ts';
import type { Answer, AnswerOutcome, Feed, FeedSignal, Frame, Gateway, Venue } from '../venue.ts';
import type { Draw, LatencyModel, SimulatedVenue, VenueEvent, VenueSink } from '../venues/simulated/ports.ts';
import { type Clock, TIMER_MS_MAX } from './clock.ts';
import { PaperNormalizer, isSimulated, newsFrame } from './paper-normalizer.ts';

export interface PaperOptions {
  /** The real venue, opened without a key. */
  readonly venue: Venue;
  /** Makes the simulated one, with the same market numbers. */
  readonly simulate: (sink: VenueSink) => SimulatedVenue;
  /** How long orders and answers take. The feed is as late as it really is. */
  readonly latency: LatencyModel;
  readonly draw: Draw;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

const PRIVATE_CHANNELS = ['fills', 'orders', 'positions'] as const;

/** The venue of a paper session. */
export class PaperVenue implements Venue {
  readonly name: string;
  readonly capabilities: Venue['capabilities'];
  readonly tickers: Venue['tickers'];
  readonly normalizer: PaperNormalizer;
  readonly simulated: SimulatedVenue;
  readonly #options: PaperOptions;
  #sink: ((input: Frame | FeedSignal) => void) | null = null;
  /** What the account is to be told, and has not been yet. */
  #news: VenueEvent[] = [];
  /** Requests at the simulated venue, by number: whoever waits for the answer. */
  readonly #waiting = new Map<number, (events: readonly VenueEvent[]) => void>();
  /** Each way keeps its order: when the last message of it arrives. Microseconds. */
  readonly #busyUntil = { order: 0, answer: 0 };
  #timer: Timer | null = null;
  /** What the timer is set for. */
  #dueAt: Micros | null = null;
  #isStopped = false;

  constructor(options: PaperOptions) {
    this.#options = options;
    const { venue } = options;
    this.name = venue.name;
    this.capabilities = venue.capabilities;
    this.tickers = venue.tickers;
    this.normalizer = new PaperNormalizer(venue.normalizer, (event) => this.#watch(event));
    this.simulated = options.simulate({
      feed: (event) => this.#tell(event),
      answer: (events) => this.#answered(events),
    });
  }

  readonly feed: Feed = {
    start: (sink) => {
      this.#sink = sink;
      this.#options.venue.feed.start((input) => {
        sink(input);
        if (input.type === 'feed-up') this.#grantPrivate();
      });
    },
    send: (command: FeedCommand) => {
      if (command.type === 'renew-private') this.#grantPrivate();
      else this.#options.venue.feed.send(command);
    },
    stop: async () => {
      await this.#options.venue.feed.stop();
      this.#sink = null;
    },
  };

  readonly gateway: Gateway = {
    warm: () => this.#options.venue.gateway.warm(),
    send: (command, signal) =>
      isSimulated(command) ? this.#ask(command, signal) : this.#options.venue.gateway.send(command, signal),
    stop: async () => {
      this.#isStopped = true;
      if (this.#timer) this.#options.scheduler.cancel(this.#timer);
      await this.#options.venue.gateway.stop();
    },
  };

  /** Nobody but us can lose what only we are told. */
  #grantPrivate(): void {
    for (const channel of PRIVATE_CHANNELS)
      this.#tell({ kind: 'feed-channel', channel, isUp: true, reason: 'simulated' });
  }

  /** Told together, once what is being handled now is done: the engine is in the midst of it. */
  #tell(event: VenueEvent): void {
    this.#news.push(event);
    if (this.#news.length === 1) this.#options.scheduler.soon(() => this.#deliver());
  }

  #deliver(): void {
    const bytes = newsFrame(this.#news);
    this.#news = [];
    this.#sink?.({ type: 'frame', at: this.#options.clock.now(), bytes });
  }

  #watch(event: EngineEvent): void {
    this.#keepTime();
    if (isOf(event, 'book')) this.#showBook(event);
    else if (isOf(event, 'fact')) this.simulated.fact(event);
    else if (isOf(event, 'feed')) this.#watchFeed(event);
    this.#rearm();
  }

  #showBook(event: EventOf<'book'>): void {
    const { floor } = this.simulated;
    switch (event.kind) {
      case 'book-delta':
        return floor.delta(event);
      case 'book-snapshot':
        return floor.snapshot(event.market, event.bids, event.asks);
      case 'print':
        return floor.print(event);
      default:
        return unreachable(event);
    }
  }

  #watchFeed(event: EventOf<'feed'>): void {
    switch (event.kind) {
      case 'feed-down':
        return this.simulated.fact({ kind: 'feed-gap', at: event.at, markets: [], reason: event.reason });
      // A connection alone says nothing of any book: snapshots follow.
      case 'feed-up':
      case 'feed-heard':
      case 'feed-channel':
      case 'feed-untold':
        return;
      default:
        return unreachable(event);
    }
  }

  /** Sets the venue's clock, and lets happen what was due by it. */
  #keepTime(): void {
    this.simulated.now = this.#options.clock.now();
    const dueAt = this.simulated.wakeAt();
    if (dueAt !== null && dueAt <= this.simulated.now) this.simulated.pass();
  }

  #rearm(): void {
    const { scheduler } = this.#options;
    const dueAt = this.simulated.wakeAt();
    if (dueAt === this.#dueAt) return;
    if (this.#timer) scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#dueAt = dueAt;
    if (dueAt === null || this.#isStopped) return;
    const waitMs = Math.min(TIMER_MS_MAX, Math.max(1, Math.ceil((dueAt - this.simulated.now) / 1000)));
    this.#timer = scheduler.after(waitMs, () => {
      this.#dueAt = null;
      this.#keepTime();
      this.#rearm();
    });
  }

  async #ask(command: RequestCommand, signal: AbortSignal): Promise<Answer> {
    const askedAt = this.#options.clock.now();
    const outcome = await this.#outcome(command, signal);
    return { type: 'answer', at: this.#options.clock.now(), askedAt, command, outcome };
  }

  async #outcome(command: RequestCommand, signal: AbortSignal): Promise<AnswerOutcome> {
    if (this.#isStopped) return { type: 'not-sent', reason: 'the venue has been stopped' };
    if (!(await this.#travel('order', signal))) return { type: 'not-sent', reason: 'given up on its way' };
    const answer = new Promise<readonly VenueEvent[]>((resolve) => this.#waiting.set(command.id, resolve));
    this.#keepTime();
    this.simulated.take(command);
    this.#rearm();
    const events = await answer;
    if (!(await this.#travel('answer', signal))) return { type: 'unknown', reason: 'given up before its answer came' };
    return { type: 'answered', status: 200, body: JSON.stringify(events), retryAfter: null, venueAt: null };
  }

  #answered(events: readonly VenueEvent[]): void {
    const [first] = events;
    if (first?.kind !== 'answered') return;
    this.#waiting.get(first.commandId)?.(events);
    this.#waiting.delete(first.commandId);
  }

  /** Waits as long as a message takes; `false` when it was given up meanwhile. */
  #travel(leg: 'order' | 'answer', signal: AbortSignal): Promise<boolean> {
    const { clock, latency, draw, scheduler } = this.#options;
    const now = clock.now();
    const arrivesAt = this.#arrival(leg, micros(now + Math.round(latency.delay(leg, now, draw))));
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const giveUp = (): void => {
        scheduler.cancel(timer);
        resolve(false);
      };
      const timer = scheduler.after(Math.ceil((arrivesAt - now) / 1000), () => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      });
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #arrival(leg: 'order' | 'answer', earliest: Micros): number {
    this.#busyUntil[leg] = Math.max(this.#busyUntil[leg], earliest);
    return this.#busyUntil[leg];
  }
}
