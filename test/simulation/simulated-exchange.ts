// The exchange of a simulation: the real exchange, API and order flow on virtual time, with a log in memory that
// survives a crash. Must never let anything but its API and its operator change the exchange.
import { z } from 'zod';
import { type FaultKind, type FaultPlan, faultsSchema } from '../../src/config/fault-config.ts';
import type { ExchangeConfig } from '../../src/config/exchange-config.ts';
import { must } from '../../src/base/assert.ts';
import { openExchange, type RunningFlow, startFlow } from '../../src/exchange/session/exchange-driver.ts';
import type { ExchangeReader } from '../../src/exchange/machine/exchange-interface.ts';
import type { Op } from '../../src/exchange/machine/exchange-input.ts';
import type { StepResult } from '../../src/exchange/machine/exchange-output.ts';
import { UnsignedAuthentication } from '../../src/exchange/api/authentication.ts';
import type { WireAnswer } from '../../src/exchange/api/endpoint-call.ts';
import { IncidentRunner } from '../../src/exchange/faults/incidents.ts';
import { PlannedFaults, lagMaxOf } from '../../src/exchange/faults/planned-faults.ts';
import { type ExchangeApi, openExchangeApi } from '../../src/exchange/api/exchange-api.ts';
import { settingsOf } from '../../src/exchange/api/exchange-settings.ts';
import { NO_ROUTE } from '../../src/exchange/api/api-errors.ts';
import type { ExchangeSession } from '../../src/exchange/session/exchange-session.ts';
import { type OpenedInputStore, volatileStore, memoryStore } from '../../src/exchange/store/input-store.ts';
import type { DownReason } from '../../src/transport/down-reason.ts';
import type { HttpHeaders, HttpRequest } from '../../src/transport/http-client.ts';
import type { WireProfile } from '../../src/venues/trade-api/profiles/wire-profile.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The id of the bot's key. */
export const KEY_ID = 'simulated-key';

/** An answer as the network carries it. */
export interface Reply {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: string;
  /** The exchange's own faults that affected it. */
  readonly struck: readonly FaultKind[];
}

/** The bot's end of a stream, as the exchange calls it. */
export interface FeedWires {
  readonly send: (text: string) => void;
  readonly ping: () => void;
  readonly hangUp: (reason: DownReason) => void;
}

/** The exchange's end of a stream. */
export interface FeedEnd {
  onFrame(text: string): void;
  close(): void;
}

export interface SimulatedExchangeOptions {
  readonly config: ExchangeConfig;
  readonly profile: WireProfile;
  readonly account: string;
  readonly time: VirtualTime;
  readonly trace: Trace;
  /** Called for every operation before it is applied. */
  readonly onOp: (op: Op) => void;
  /** Called when the exchange is up, before anything else happens. */
  readonly onUp: (exchange: ExchangeReader) => void;
  /** Called after every step. */
  readonly onStep: (result: StepResult, exchange: ExchangeReader) => void;
  /** True for an exchange that never crashes, and saves no log: for simulations whose log would grow without bound. */
  readonly forgets?: boolean;
}

/** The parts that run while the exchange is up. */
interface RunningParts {
  readonly session: ExchangeSession;
  readonly hall: ExchangeApi;
  readonly flow: RunningFlow;
  readonly streams: Set<FeedWires>;
}

/** The exchange, up or down. */
export class SimulatedExchange {
  readonly #options: SimulatedExchangeOptions;
  readonly #log: OpenedInputStore;
  readonly #plan: FaultPlan;
  readonly #faults: PlannedFaults;
  #running: RunningParts | null = null;
  #isNextPositionsEmpty = false;
  /** Faults that affect the request being handled. */
  #faultsOfRequest: FaultKind[] = [];

  constructor(options: SimulatedExchangeOptions) {
    this.#options = options;
    this.#log = memoryStore(options.config.seed);
    const { config, profile, time } = options;
    this.#plan = config.faults ?? faultsSchema.parse({});
    const shared = { seed: config.seed, later: this.#later, onFault: (kind: FaultKind) => this.#onFault(kind) };
    this.#faults = new PlannedFaults({ ...shared, plan: this.#plan, profile, now: () => time.now() });
    this.start();
    new IncidentRunner({
      ...shared,
      rules: this.#plan.incidents,
      session: () => this.#running?.session ?? null,
      crash: (downFor) => this.#crash(downFor / 1000),
    }).start();
  }

  readonly #later = (delayMs: number, run: () => void): (() => void) => {
    const timer = this.#options.time.later(delayMs, run);
    return () => this.#options.time.cancel(timer);
  };

  #onFault(kind: FaultKind): void {
    this.#faultsOfRequest.push(kind);
    this.#options.trace.addCount(`fault: exchange ${kind}`);
    this.#options.trace.recordEvent('fault', kind);
  }

  get isUp(): boolean {
    return this.#running !== null;
  }

  /** The limits that replace the profile's. */
  get limits(): ExchangeConfig['limits'] {
    return this.#options.config.limits;
  }

  /** The exchange, read-only. @throws {AssertionFault} while it is down. */
  get exchange(): ExchangeReader {
    return must(this.#running, 'a running exchange').session.exchange;
  }

  /** Starts the exchange from its log, as after a crash. */
  start(): void {
    const { config, profile, time, account, onUp, onStep } = this.#options;
    const lagMax = lagMaxOf(this.#plan);
    const session = openExchange(config, { clock: () => time.now(), store: this.#store(), lagMax });
    onUp(session.exchange);
    session.onStep((result) => onStep(result, session.exchange));
    const authentication = new UnsignedAuthentication(profile.signing, new Map([[KEY_ID, account]]));
    const { limits } = config;
    const premises = settingsOf(config);
    const hall = openExchangeApi({
      session,
      profile,
      authentication,
      limits,
      settings: premises,
      faults: this.#faults,
    });
    const flow = startFlow(session, config, this.#later);
    this.#running = { session, hall, flow, streams: new Set() };
  }

  /** Crashes the exchange with its connections; its log remains, and it is started again. */
  #crash(downMs: number): void {
    if (this.#running === null) return;
    const { flow, streams, hall, session } = this.#running;
    this.#running = null;
    this.#options.trace.recordEvent('exchange crashed');
    flow.stop();
    hall.crash();
    streams.clear();
    session.close();
    this.#later(downMs, () => this.start());
  }

  /** Answers a request, now or later; with `null` when the connection is dropped. */
  answer(request: HttpRequest, send: (reply: Reply | null) => void): void {
    const up = must(this.#running, 'a running exchange');
    const { method, path, headers, body } = request;
    const struck: FaultKind[] = (this.#faultsOfRequest = []);
    const reply = (answer: WireAnswer | null): void => {
      if (answer === null) return send(null);
      // An answer changed by a fault may not be a page at all.
      const isWhole = struck.length === 0 && this.#emptiesPositions(request, answer);
      const emptied = isWhole ? { ...answer, body: withoutRows(answer.body) } : answer;
      send({ ...replyOf(emptied, up.hall.date()), struck });
    };
    const route = up.hall.findRoute(method, path);
    if (route === null) return reply(NO_ROUTE);
    const header = headerReader(headers);
    up.hall.handleRequest({ ...route, header, body: body ?? '', address: '127.0.0.1' }, reply);
  }

  /** Empties the next list of positions, whatever is held: the server that answers it lags. */
  emptyNextPositions(): void {
    this.#isNextPositionsEmpty = true;
  }

  #emptiesPositions({ path }: HttpRequest, { status }: WireAnswer): boolean {
    const { basePath, endpoints } = this.#options.profile;
    const isPositions = status === 200 && path.split('?')[0] === basePath + endpoints.positions.path;
    if (!isPositions || !this.#isNextPositionsEmpty) return false;
    this.#isNextPositionsEmpty = false;
    this.#options.trace.addCount('empty positions');
    return true;
  }

  /** Opens a stream, or returns the refusal. */
  openFeed(
    headers: Readonly<Record<string, string>>,
    wires: FeedWires,
  ): FeedEnd | { readonly status: number; readonly body: string; readonly retryAfterMs: number | null } {
    const { hall, streams } = must(this.#running, 'a running exchange');
    const { time, profile } = this.#options;
    const handshake = { method: 'GET', path: profile.feed.path, header: headerReader(headers), address: '127.0.0.1' };
    const caller = hall.authorizeFeed(handshake);
    if ('status' in caller) {
      const { status, body, retryAfter } = caller;
      return { status, body, retryAfterMs: retryAfter === undefined ? null : retryAfter * 1000 };
    }
    streams.add(wires);
    const line = hall.openFeed(caller, {
      sendText: wires.send,
      sendPing: wires.ping,
      closeWith: (code, text) => wires.hangUp({ type: 'closed', code, text }),
      terminate: () => wires.hangUp({ type: 'broken', detail: 'ECONNRESET' }),
    });
    const ping = (): void => {
      if (!streams.has(wires)) return;
      line.sendPing();
      time.later(profile.feed.pingEveryMs, ping);
    };
    time.later(profile.feed.pingEveryMs, ping);
    const close = (): void => {
      streams.delete(wires);
      line.close();
    };
    return { onFrame: (text) => line.handleMessage(text), close };
  }

  #store(): OpenedInputStore {
    const { config, onOp, forgets = false } = this.#options;
    if (forgets) return volatileStore(config.seed);
    const log = this.#log;
    return {
      salt: log.salt,
      get isLong() {
        return log.isLong;
      },
      replayInto: (into) => log.replayInto(into),
      appendInput: (input) => {
        onOp(input.op);
        log.appendInput(input);
      },
      replaceWithImage: (image) => log.replaceWithImage(image),
      close: () => undefined,
    };
  }
}

const headerReader =
  (headers: Readonly<Record<string, string>>) =>
  (name: string): string | undefined =>
    headers[name] ?? headers[name.toLowerCase()];

function replyOf({ status, body, contentType, retryAfter }: WireAnswer, date: string): Omit<Reply, 'struck'> {
  const headers: Record<string, string> = { date };
  if (contentType !== null) headers['content-type'] = contentType;
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  return { status, headers, body };
}

/** A page without its rows, and without a next page. */
function withoutRows(body: string): string {
  const page = Object.entries(z.record(z.string(), z.unknown()).parse(JSON.parse(body)));
  return JSON.stringify(
    Object.fromEntries(page.map(([name, value]) => [name, Array.isArray(value) ? [] : name === 'cursor' ? '' : value])),
  );
}
