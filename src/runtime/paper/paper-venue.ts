// The venue of a paper session: public feed and reads of the real venue, and a simulated account. Must never send the
// real venue anything but public reads and subscriptions.
import type { FeedCommand, OrderBatch, RequestCommand } from '../../domain/venue-command.ts';
import { must, unreachable } from '../../base/assert.ts';
import type { EngineEvent } from '../../domain/event.ts';
import { type EventOf, isOfNature } from '../../domain/event-kinds.ts';
import { type Micros, micros } from '../../domain/units.ts';
import type { Scheduler, Timer } from '../../transport/scheduler.ts';
import type { Answer, AnswerOutcome, BatchAnswers, Feed, FeedSignal, Frame, Gateway, Venue } from '../../venue.ts';
import type {
  UniformDraw,
  LatencyModel,
  SimulatedVenue,
  VenueEvent,
  VenueSink,
} from '../../venues/simulated/simulator-interfaces.ts';
import { wayOf } from '../../venues/simulated/models/latency-link.ts';
import { TOO_MANY } from '../../venues/trade-api/wire/answer-status.ts';
import { type Clock, TIMER_MS_MAX } from '../session/system-clock.ts';
import { PaperNormalizer, isSimulatedRequest, privateEventsFrame } from './paper-normalizer.ts';

export interface PaperOptions {
  /** The real venue, opened for public data only. */
  readonly venue: Venue;
  /** Creates the simulated venue. It uses the real venue's market indexes. */
  readonly simulate: (sink: VenueSink) => SimulatedVenue;
  /** Latency of orders and answers. The feed has its real latency. */
  readonly latency: LatencyModel;
  readonly draw: UniformDraw;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

const RATE_REFUSAL = { cause: 'rate', reason: 'the simulated venue has no room for all of it' } as const;

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
  #privateEvents: VenueEvent[] = [];
  /**
   * Callbacks of requests, by command id. Added when a request arrives at the simulated venue; removed when it is
   * answered.
   */
  readonly #callbacks = new Map<number, (events: readonly VenueEvent[]) => void>();
  /**
   * Arrival time of the last message in each direction, in microseconds. A message never overtakes an earlier message.
   */
  readonly #busyUntil = { order: 0, answer: 0 };
  #timer: Timer | null = null;
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
      publish: (event) => this.#queuePrivateEvent(event),
      sendAnswer: (events) => this.#onAnswered(events),
    });
  }

  readonly feed: Feed = {
    start: (sink) => {
      this.#sink = sink;
      this.#options.venue.feed.start((input) => {
        sink(input);
        if (input.type === 'feed-up') this.#reportPrivateChannelsUp();
      });
    },
    send: (command: FeedCommand) => {
      if (command.type === 'renew-private') this.#reportPrivateChannelsUp();
      else this.#options.venue.feed.send(command);
    },
    stop: async () => {
      await this.#options.venue.feed.stop();
      this.#sink = null;
    },
  };

  readonly gateway: Gateway = {
    warmUp: () => this.#options.venue.gateway.warmUp(),
    // A simulated order has left once its latency begins.
    send: (command, signal, lastLook) =>
      isSimulatedRequest(command)
        ? this.#request(command, signal)
        : this.#options.venue.gateway.send(command, signal, lastLook),
    sendBatch: (batch, signal) => this.#requestBatch(batch, signal),
    stop: async () => {
      this.#isStopped = true;
      if (this.#timer) this.#options.scheduler.cancel(this.#timer);
      await this.#options.venue.gateway.stop();
    },
  };

  /** The private channels are simulated in this process, so they cannot be lost. */
  #reportPrivateChannelsUp(): void {
    for (const channel of PRIVATE_CHANNELS)
      this.#queuePrivateEvent({ kind: 'feed-channel', channel, isUp: true, reason: 'simulated' });
  }

  /**
   * Queues a private event, because the engine is in the middle of a step. Queued events are delivered together after
   * it.
   */
  #queuePrivateEvent(event: VenueEvent): void {
    this.#privateEvents.push(event);
    if (this.#privateEvents.length === 1) this.#options.scheduler.soon(() => this.#deliverPrivateEvents());
  }

  #deliverPrivateEvents(): void {
    const bytes = privateEventsFrame(this.#privateEvents);
    this.#privateEvents = [];
    this.#sink?.({ type: 'frame', at: this.#options.clock.now(), bytes });
  }

  #watch(event: EngineEvent): void {
    this.#advanceTime();
    if (isOfNature(event, 'book')) this.#applyBookEvent(event);
    else if (isOfNature(event, 'fact')) this.simulated.applyTapeEvent(event);
    else if (isOfNature(event, 'feed')) this.#applyFeedEvent(event);
    this.#rearm();
  }

  #applyBookEvent(event: EventOf<'book'>): void {
    const { matching } = this.simulated;
    switch (event.kind) {
      case 'book-delta':
        return matching.applyDelta(event);
      case 'book-snapshot':
        return matching.applySnapshot(event.market, event.bids, event.asks);
      case 'print':
        return matching.applyPrint(event);
      default:
        return unreachable(event);
    }
  }

  #applyFeedEvent(event: EventOf<'feed'>): void {
    switch (event.kind) {
      case 'feed-down':
        return this.simulated.applyTapeEvent({ kind: 'feed-gap', at: event.at, markets: [], reason: event.reason });
      // A connection alone says nothing about books; snapshots follow it.
      case 'feed-up':
      case 'feed-heard':
      case 'feed-channel':
      case 'feed-untold':
        return;
      default:
        return unreachable(event);
    }
  }

  /** Sets the simulated venue's clock, and runs everything that is due. */
  #advanceTime(): void {
    this.simulated.now = this.#options.clock.now();
    const dueAt = this.simulated.wakeAt();
    if (dueAt !== null && dueAt <= this.simulated.now) this.simulated.runDue();
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
      this.#advanceTime();
      this.#rearm();
    });
  }

  async #request(command: RequestCommand, signal: AbortSignal): Promise<Answer> {
    const askedAt = this.#options.clock.now();
    const [outcome] = await this.#outcomes([command], signal, () => this.simulated.handleCommand(command));
    return this.#answerTo(command, askedAt, must(outcome, 'an outcome'));
  }

  async #requestBatch(batch: OrderBatch, signal: AbortSignal): Promise<BatchAnswers> {
    const { commands } = batch;
    const askedAt = this.#options.clock.now();
    const outcomes = await this.#outcomes(commands, signal, () => this.simulated.handleBatch(batch));
    const answers = commands.map((command, index) =>
      this.#answerTo(command, askedAt, must(outcomes[index], 'an outcome for each command')),
    );
    // The rate of a batch is judged as a whole.
    const isRefused = outcomes.some((outcome) => outcome.type === 'answered' && outcome.status === TOO_MANY);
    return { answers, refusal: isRefused ? RATE_REFUSAL : null };
  }

  #answerTo(command: RequestCommand, askedAt: Micros, outcome: AnswerOutcome): Answer {
    return { type: 'answer', at: this.#options.clock.now(), askedAt, command, outcome };
  }

  /** The outcomes of commands that arrive together: one delay there, and one back. */
  async #outcomes(
    commands: readonly RequestCommand[],
    signal: AbortSignal,
    arrive: () => void,
  ): Promise<readonly AnswerOutcome[]> {
    const all = (outcome: AnswerOutcome): readonly AnswerOutcome[] => commands.map(() => outcome);
    const first = must(commands[0], 'a command');
    if (this.#isStopped) return all({ type: 'not-sent', reason: 'the venue has been stopped' });
    if (!(await this.#delay('order', first, signal)))
      return all({ type: 'not-sent', reason: 'given up before it arrived' });
    const answers = commands.map(
      ({ id }) => new Promise<readonly VenueEvent[]>((resolve) => this.#callbacks.set(id, resolve)),
    );
    this.#advanceTime();
    arrive();
    this.#rearm();
    const answered = await Promise.all(answers);
    if (!(await this.#delay('answer', first, signal)))
      return all({ type: 'unknown', reason: 'given up before its answer arrived' });
    return answered.map((events) => {
      const status = events.some(({ kind }) => kind === 'rate-limited') ? TOO_MANY : 200;
      return { type: 'answered', status, body: JSON.stringify(events), retryAfter: null, venueAt: null };
    });
  }

  #onAnswered(events: readonly VenueEvent[]): void {
    const [first] = events;
    if (first?.kind !== 'answered') return;
    this.#callbacks.get(first.commandId)?.(events);
    this.#callbacks.delete(first.commandId);
  }

  /** Waits for the latency of a message. Resolves to `false` when the request is aborted meanwhile. */
  #delay(leg: 'order' | 'answer', command: RequestCommand, signal: AbortSignal): Promise<boolean> {
    const { clock, latency, draw, scheduler } = this.#options;
    const now = clock.now();
    const arrivesAt = this.#arrivalTime(
      leg,
      micros(now + Math.round(latency.drawDelay(leg, { at: now, way: wayOf(command) }, draw))),
    );
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

  #arrivalTime(leg: 'order' | 'answer', earliest: Micros): number {
    this.#busyUntil[leg] = Math.max(this.#busyUntil[leg], earliest);
    return this.#busyUntil[leg];
  }
}
