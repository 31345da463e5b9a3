// A simulated venue alone, with its output: each request with its answer, and the events of the feed meanwhile. The
// fill simulator is the real one; commands have sensible members to override.
import type {
  AmendCommand,
  CancelCommand,
  Command,
  DecreaseCommand,
  FeedCommand,
  PlaceCommand,
  ReadTarget,
} from '../../../src/domain/venue-command.ts';
import { type MarketIndex, TickerTable, clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { Side } from '../../../src/domain/orders/order.ts';
import { type Micros, cents, dollars, micros, qty } from '../../../src/domain/units.ts';
import { openSimulator } from '../../../src/venues/simulated/open-simulator.ts';
import type { VenueEvent } from '../../../src/venues/simulated/simulator-interfaces.ts';
import type { Simulator, SimulatorOptions } from '../../../src/venues/simulated/simulator.ts';
import { simulationSchema } from '../../../src/config/simulation-config.ts';
import { BEGIN, M0, aMarket, aPlace, levels, tickerOf } from '../engine/builders.ts';
import { CAPABILITIES, type UntimedTapeEvent, aGroup, aSeries } from './simulator-harness.ts';

export interface VenueBenchOptions extends Partial<Omit<SimulatorOptions, 'fees' | 'openMatching'>> {
  readonly markets?: readonly Market[];
  /** The simulation section of a config. */
  readonly simulation?: unknown;
  /** True when the tape describes series and event group; otherwise the venue knows of neither. */
  readonly hasSeries?: boolean;
}

type Of<Kind extends VenueEvent['kind']> = Extract<VenueEvent, { kind: Kind }>;

export class VenueBench {
  readonly venue: Simulator;
  readonly tickers: TickerTable;
  /** The events of the feed, and every answer. */
  readonly feed: VenueEvent[] = [];
  readonly answers: VenueEvent[][] = [];
  #commands = 0;

  constructor({ markets = [aMarket(0)], simulation = {}, hasSeries = true, ...over }: VenueBenchOptions = {}) {
    this.tickers = new TickerTable();
    for (const { ticker } of markets) this.tickers.internTicker(ticker);
    this.venue = openSimulator({
      config: simulationSchema.parse(simulation),
      tickers: this.tickers,
      capabilities: CAPABILITIES,
      openingCash: dollars(1000),
      sink: {
        publish: (event) => void this.feed.push(event),
        sendAnswer: (events) => void this.answers.push([...events]),
      },
      ...over,
    });
    this.venue.now = BEGIN;
    if (hasSeries) this.applyTapeEvent({ kind: 'series', series: aSeries() });
    if (hasSeries)
      this.applyTapeEvent({ kind: 'event-group', group: aGroup({ tickers: markets.map(({ ticker }) => ticker) }) });
    for (const market of markets) this.applyTapeEvent({ kind: 'market', market });
    for (const { index } of markets) this.setBook(index, [[45, 10]], [[55, 10]]);
    this.venue.connectFeed();
    this.feed.length = 0;
  }

  applyTapeEvent(fact: UntimedTapeEvent): void {
    this.venue.applyTapeEvent({ ...fact, at: this.venue.now });
  }

  /** Sets the clock to milliseconds after the start, and runs what is due. */
  advanceTo(milliseconds: number): this {
    this.venue.now = micros(BEGIN + milliseconds * 1000);
    this.venue.runDue();
    return this;
  }

  setBook(
    market: MarketIndex,
    bids: readonly (readonly [number, number])[],
    asks: readonly (readonly [number, number])[],
  ): void {
    this.venue.matching.applySnapshot(market, levels(...bids), levels(...asks));
  }

  /** Another trader trades (cents, contracts) with resting orders. */
  addPrint(side: Side, [price, contracts]: readonly [number, number], market: MarketIndex = M0): void {
    this.venue.matching.applyPrint({ market, side, price: cents(price), qty: qty(contracts * 100) });
  }

  /** Sends a command; returns its answer. */
  sendCommand(command: Command, sentAt?: Micros): VenueEvent[] {
    const count = this.answers.length;
    this.venue.handleCommand(command, sentAt);
    return this.answers[count] ?? [];
  }

  nextCommandId(): number {
    return (this.#commands += 1);
  }

  place(over: Partial<PlaceCommand> = {}): VenueEvent[] {
    const id = this.nextCommandId();
    return this.sendCommand(aPlace({ id, clientOrderId: clientOrderId(`c-${id}`), ...over }));
  }

  /** Places an order that is accepted; returns its venue order id. */
  placeAccepted(over: Partial<PlaceCommand> = {}): string {
    const answer = this.place(over);
    const accepted = only(answer, 'order-accepted');
    return accepted.venueOrderId;
  }

  #named(id: string) {
    const base = { id: this.nextCommandId(), createdAt: this.venue.now, validUntil: null };
    return { ...base, clientOrderId: clientOrderId('c-any'), venueOrderId: venueOrderId(id), ticker: tickerOf(0) };
  }

  cancel(id: string): VenueEvent[] {
    return this.sendCommand({ ...this.#named(id), type: 'cancel', lane: 'cancel' } satisfies CancelCommand);
  }

  decrease(id: string, leaves: number): VenueEvent[] {
    const command = { ...this.#named(id), type: 'decrease', lane: 'reduce', leavesQty: qty(leaves) } as const;
    return this.sendCommand(command satisfies DecreaseCommand);
  }

  amend(id: string, terms: Pick<AmendCommand, 'side' | 'price' | 'qty'>): VenueEvent[] {
    return this.sendCommand({ ...this.#named(id), type: 'amend', lane: 'new', ...terms } satisfies AmendCommand);
  }

  read(target: ReadTarget, cursor: string | null = null): VenueEvent[] {
    const base = { id: this.nextCommandId(), createdAt: this.venue.now, validUntil: null };
    return this.sendCommand({ ...base, type: 'read', lane: 'read', target, cursor });
  }

  sendFeedCommand(type: 'subscribe' | 'unsubscribe' | 'resync' | 'renew', market = 0): void {
    const base = { id: this.nextCommandId(), createdAt: this.venue.now, validUntil: null };
    this.sendCommand({ ...base, type, lane: 'read', tickers: [tickerOf(market)] } satisfies FeedCommand);
  }

  /** The feed's events of one kind since the last call. */
  takeEvents<Kind extends VenueEvent['kind']>(kind: Kind): Of<Kind>[] {
    const found = this.feed.filter((event): event is Of<Kind> => event.kind === kind);
    this.feed.length = 0;
    return found;
  }

  get available(): number {
    return this.venue.account.available;
  }
}

/** The one event of a kind in an answer. */
export function only<Kind extends VenueEvent['kind']>(answer: readonly VenueEvent[], kind: Kind): Of<Kind> {
  const found = answer.filter((event): event is Of<Kind> => event.kind === kind);
  if (found.length !== 1) throw new Error(`${found.length} ${kind} in ${JSON.stringify(answer)}`);
  return found[0]!;
}

/** `granted`, or the code of the refusal. */
export function answerVerdict(answer: readonly VenueEvent[]): string {
  for (const event of answer) {
    if (event.kind === 'order-rejected' || event.kind === 'cancel-refused' || event.kind === 'amend-refused')
      return event.code;
    if (event.kind === 'order-unknown') return event.isTaken === true ? 'taken' : 'unknown';
    if (event.kind === 'rate-limited' || event.kind === 'read-failed' || event.kind === 'cancel-lost')
      return event.kind;
  }
  return 'granted';
}
