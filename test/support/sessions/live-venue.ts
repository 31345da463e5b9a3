// The scripted venue behind the interface that a live session uses: frames, answers and signals, all in this process. A
// frame or an answer contains the numbers of its events, and the normalizer looks the events up.
import type { FeedCommand, RequestCommand } from '../../../src/domain/venue-command.ts';
import { AssertionFault, must } from '../../../src/base/assert.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import type { Market } from '../../../src/domain/market.ts';
import { cents, dollars, micros } from '../../../src/domain/units.ts';
import { SystemClock } from '../../../src/runtime/session/system-clock.ts';
import type {
  Answer,
  AnswerOutcome,
  Capabilities,
  Feed,
  Frame,
  Gateway,
  Normalizer,
  Venue,
} from '../../../src/venue.ts';
import { aMarket, tickerTable } from '../engine/builders.ts';
import { ScriptedVenue } from '../engine/scripted-venue.ts';

const HOUR = 3_600_000_000;
const LIMIT = { model: 'rolling-window', count: 1000, windowMs: 1000 } as const;

/** A venue of some markets that are open now, with a bid of 45 cents and an ask of 55 cents. */
export class LiveVenue implements Venue {
  readonly name = 'scripted';
  /** Milliseconds by which the machine's wall clock is ahead of the true time. */
  wallAheadMs = 0;
  /** True when answers carry the venue's time, which is the true time. */
  reportsTime = false;
  readonly clock = new SystemClock({
    wallMs: () => Date.now() + this.wallAheadMs,
    monotonicMs: () => performance.now(),
  });
  readonly tickers;
  readonly scripted: ScriptedVenue;
  readonly capabilities: Capabilities;
  /** True for requests that the venue never receives. They wait until they are given up. */
  isUnanswered: (command: RequestCommand) => boolean = () => false;
  /** True for requests that the venue executes but whose answers are lost. */
  isAnswerLost: (command: RequestCommand) => boolean = () => false;
  /** Every request that the gateway was given. */
  readonly requests: RequestCommand[] = [];
  /** Number of times that the feed and the gateway were stopped. */
  readonly stops = { feed: 0, gateway: 0 };
  readonly #events: EngineEvent[] = [];
  readonly #unsent: FeedCommand[] = [];
  #isUp = false;
  #sink: ((frame: Frame) => void) | null = null;

  constructor(marketCount = 1, abilities: Partial<Capabilities> = {}) {
    this.tickers = tickerTable(marketCount);
    const now = this.clock.now();
    const life = { openAt: micros(now - HOUR), closeAt: micros(now + HOUR) };
    const markets: Market[] = Array.from({ length: marketCount }, (_, number) => aMarket(number, life));
    this.scripted = new ScriptedVenue(markets, dollars(1000), now);
    for (const { index } of markets) {
      this.scripted.changeLevel(index, 'bid', { price: cents(45), change: 1000 });
      this.scripted.changeLevel(index, 'ask', { price: cents(55), change: 1000 });
    }
    this.capabilities = {
      canAmend: false,
      canDecrease: false,
      dedupesClientIds: true,
      canPostOnly: true,
      canReduceOnly: true,
      timeInForce: ['gtc', 'ioc'],
      qtyStep: 100,
      priceMin: cents(1),
      priceMax: cents(99),
      limits: { read: LIMIT, trade: LIMIT },
      cost: () => 1,
      ...abilities,
    };
  }

  readonly feed: Feed = {
    start: (sink) => {
      this.#sink = sink;
      setImmediate(() => {
        this.changeVenue((venue) => venue.feedUp());
        this.#isUp = true;
        for (const command of this.#unsent.splice(0)) this.feed.send(command);
      });
    },
    // Sends the command now, or as soon as the feed is connected.
    send: (command) => {
      if (this.#isUp) this.changeVenue((venue) => venue.acceptCommand(command));
      else this.#unsent.push(command);
    },
    stop: () => {
      this.#sink = null;
      this.stops.feed += 1;
      return Promise.resolve();
    },
  };

  readonly gateway: Gateway = {
    warmUp: () => Promise.resolve(),
    send: (command, signal) => this.#send(command, signal),
    stop: () => {
      this.stops.gateway += 1;
      return Promise.resolve();
    },
  };

  readonly normalizer: Normalizer = {
    normalize: (input, emit) => {
      const text = input.type === 'frame' ? new TextDecoder().decode(input.bytes) : bodyOf(input);
      if (text === BROKEN) throw new AssertionFault('an invariant failed');
      for (const number of JSON.parse(text) as number[]) emit({ ...must(this.#events[number], 'event'), at: input.at });
    },
  };

  /** Changes something at the venue and sends the resulting events down the feed. */
  changeVenue(change: (venue: ScriptedVenue) => void): void {
    this.scripted.now = this.clock.now();
    change(this.scripted);
    this.#publish(this.#takeEvents());
  }

  /** Sends a frame that breaks an invariant. */
  sendBrokenFrame(): void {
    this.#frame(BROKEN);
  }

  #frame(text: string): void {
    this.#sink?.({ type: 'frame', at: this.clock.now(), bytes: Buffer.from(text) });
  }

  #publish(numbers: readonly number[]): void {
    for (const number of numbers) this.#frame(JSON.stringify([number]));
  }

  /** Takes every event of the scripted venue and returns the events' numbers. */
  #takeEvents(): number[] {
    const numbers: number[] = [];
    for (let next = this.scripted.takeNext(); next; next = this.scripted.takeNext())
      numbers.push(this.#events.push(next) - 1);
    return numbers;
  }

  async #send(command: RequestCommand, signal: AbortSignal): Promise<Answer> {
    const askedAt = this.clock.now();
    this.requests.push(command);
    await new Promise((resolve) => setImmediate(resolve));
    const outcome = this.isUnanswered(command) ? await waitForAbort(signal) : this.#answer(command);
    if (this.isAnswerLost(command)) await waitForAbort(signal);
    const venueAt = micros(Math.floor(Date.now() / 1000) * 1_000_000);
    if (this.reportsTime) this.clock.observeAnswer({ sentAt: askedAt, receivedAt: this.clock.now(), venueAt });
    return { type: 'answer', at: this.clock.now(), askedAt, command, outcome };
  }

  /**
   * Executes a request. The events that it causes go down the feed first; the body of the answer holds the events from
   * `answered` on.
   */
  #answer(command: RequestCommand): AnswerOutcome {
    this.scripted.now = this.clock.now();
    this.scripted.acceptCommand(command);
    const numbers = this.#takeEvents();
    const first = numbers.findIndex((number) => this.#events[number]?.kind === 'answered');
    this.#publish(numbers.slice(0, first));
    const body = JSON.stringify(numbers.slice(first));
    return { type: 'answered', status: 200, body, retryAfter: null, venueAt: null };
  }
}

const BROKEN = 'broken';

const bodyOf = (input: Parameters<Normalizer['normalize']>[0]): string =>
  input.type === 'answer' && input.outcome.type === 'answered' ? input.outcome.body : '[]';

const waitForAbort = (signal: AbortSignal): Promise<AnswerOutcome> =>
  new Promise((resolve) => {
    const unknown = { type: 'unknown', reason: 'given up' } as const;
    if (signal.aborted) resolve(unknown);
    signal.addEventListener('abort', () => resolve(unknown));
  });
