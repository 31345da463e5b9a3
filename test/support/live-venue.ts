// The scripted venue behind the port that a live session speaks to: frames, answers, signals, all in this process.
// A frame and an answer name the events they stand for by number; the normalizer looks them up.
import type { FeedCommand, RequestCommand } from '../../src/domain/venue-command.ts';
import { AssertionFault, must } from '../../src/base/assert.ts';
import type { EngineEvent } from '../../src/domain/event.ts';
import type { Market } from '../../src/domain/market.ts';
import { cents, dollars, micros } from '../../src/domain/units.ts';
import { SystemClock } from '../../src/runtime/session/system-clock.ts';
import type { Answer, AnswerOutcome, Capabilities, Feed, Frame, Gateway, Normalizer, Venue } from '../../src/venue.ts';
import { aMarket, tickerTable } from './engine/builders.ts';
import { ScriptedVenue } from './engine/scripted-venue.ts';

const HOUR = 3_600_000_000;
const LIMIT = { model: 'rolling-window', count: 1000, windowMs: 1000 } as const;

/** A venue of some markets that trade now, bid 45 and offered 55. */
export class LiveVenue implements Venue {
  readonly name = 'scripted';
  /** How far the machine's wall clock is ahead of the true time. */
  wallAheadMs = 0;
  /** Whether answers give the venue's time, which is the true one. */
  tellsTime = false;
  readonly clock = new SystemClock({
    wallMs: () => Date.now() + this.wallAheadMs,
    monotonicMs: () => performance.now(),
  });
  readonly tickers;
  readonly scripted: ScriptedVenue;
  readonly capabilities: Capabilities;
  /** Requests that are never answered: they wait until they are given up. */
  isHeld: (command: RequestCommand) => boolean = () => false;
  /** Requests that the venue carries out, and whose answers never come. */
  isAnswerHeld: (command: RequestCommand) => boolean = () => false;
  /** What was asked of the gateway. */
  readonly asked: RequestCommand[] = [];
  /** How often feed and gateway were told to stop. */
  readonly stops = { feed: 0, gateway: 0 };
  readonly #events: EngineEvent[] = [];
  readonly #unsent: FeedCommand[] = [];
  #isUp = false;
  #sink: ((frame: Frame) => void) | null = null;

  constructor(marketCount = 1) {
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
    };
  }

  readonly feed: Feed = {
    start: (sink) => {
      this.#sink = sink;
      setImmediate(() => {
        this.happen((venue) => venue.feedUp());
        this.#isUp = true;
        for (const command of this.#unsent.splice(0)) this.feed.send(command);
      });
    },
    // Now, or when connected.
    send: (command) => {
      if (this.#isUp) this.happen((venue) => venue.acceptCommand(command));
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
      if (text === BROKEN) throw new AssertionFault('an invariant broke');
      for (const number of JSON.parse(text) as number[]) emit({ ...must(this.#events[number], 'event'), at: input.at });
    },
  };

  /** Lets something happen at the venue, and tells the feed of it. */
  happen(change: (venue: ScriptedVenue) => void): void {
    this.scripted.now = this.clock.now();
    change(this.scripted);
    this.#tell(this.#taken());
  }

  /** Sends a frame that breaks an invariant. */
  breakFrame(): void {
    this.#frame(BROKEN);
  }

  #frame(text: string): void {
    this.#sink?.({ type: 'frame', at: this.clock.now(), bytes: Buffer.from(text) });
  }

  #tell(numbers: readonly number[]): void {
    for (const number of numbers) this.#frame(JSON.stringify([number]));
  }

  /** Everything that the scripted venue has to say, as numbers of events. */
  #taken(): number[] {
    const numbers: number[] = [];
    for (let next = this.scripted.takeNext(); next; next = this.scripted.takeNext())
      numbers.push(this.#events.push(next) - 1);
    return numbers;
  }

  async #send(command: RequestCommand, signal: AbortSignal): Promise<Answer> {
    const askedAt = this.clock.now();
    this.asked.push(command);
    await new Promise((resolve) => setImmediate(resolve));
    const outcome = this.isHeld(command) ? await givenUp(signal) : this.#answer(command);
    if (this.isAnswerHeld(command)) await givenUp(signal);
    const venueAt = micros(Math.floor(Date.now() / 1000) * 1_000_000);
    if (this.tellsTime) this.clock.observeAnswer({ sentAt: askedAt, receivedAt: this.clock.now(), venueAt });
    return { type: 'answer', at: this.clock.now(), askedAt, command, outcome };
  }

  /** What the request makes happen goes down the feed first; what answers it, from `answered` on, is the body. */
  #answer(command: RequestCommand): AnswerOutcome {
    this.scripted.now = this.clock.now();
    this.scripted.acceptCommand(command);
    const numbers = this.#taken();
    const first = numbers.findIndex((number) => this.#events[number]?.kind === 'answered');
    this.#tell(numbers.slice(0, first));
    const body = JSON.stringify(numbers.slice(first));
    return { type: 'answered', status: 200, body, retryAfter: null, venueAt: null };
  }
}

const BROKEN = 'broken';

const bodyOf = (input: Parameters<Normalizer['normalize']>[0]): string =>
  input.type === 'answer' && input.outcome.type === 'answered' ? input.outcome.body : '[]';

const givenUp = (signal: AbortSignal): Promise<AnswerOutcome> =>
  new Promise((resolve) => {
    const unknown = { type: 'unknown', reason: 'given up' } as const;
    if (signal.aborted) resolve(unknown);
    signal.addEventListener('abort', () => resolve(unknown));
  });
