// Twenty clients of a console, each with an address of its own: seventeen read live streams, one reads nothing, two are
// hostile. Must never have more than one request of a hostile client under way.
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type Socket, connect } from 'node:net';
import { HOSTILE_ACTS, type HostileAct, sendHostile } from './hostile.ts';
import type { ConsoleDoor } from './console-door.ts';

/** Result of a crowd. */
export interface CrowdFigures {
  /** Events of the reader that received the fewest, and of all readers. */
  readonly fewestEvents: number;
  readonly events: number;
  /** Answers to the requests that a reader makes beside its stream, and the time of the slowest. Milliseconds. */
  readonly answers: number;
  readonly slowestAnswerMs: number;
  /** Requests of the hostile clients that were refused, and that were served. */
  readonly refused: number;
  readonly served: number;
  /** Streams that the console refused or ended. */
  readonly broken: number;
}

export const READERS = 17;
const STALLED_ADDRESS = 18;
export const HOSTILE_ADDRESSES = [19, 20] as const;
const HOSTILE_EVERY_MS = 250;
const REQUEST_EVERY_MS = 1000;
const ANSWER_MS_MAX = 10_000;
const MARK = Buffer.from('event: ');

/** The loopback address of a client, which has a number from 1. */
const addressOf = (client: number): string => `127.0.0.${client + 1}`;

/** The streams that the readers read: every view, several markets and sorts. */
function streamsOf({ bot, tickers }: ConsoleDoor): readonly string[] {
  const view = (query: string): string => `/api/v1/bots/${bot}/live?view=${query}`;
  const markets = ['ours', 'ticker', 'bid', 'day'].map((sort, i) =>
    view(`markets&sort=${sort}&from=${i * 20}&to=${i * 20 + 100}`),
  );
  const details = tickers.slice(0, 4).map((ticker) => view(`market&market=${encodeURIComponent(ticker)}`));
  const every = ['/api/v1/live', view('session'), view('orders'), view('events')];
  const streams = [...markets, ...details, ...every];
  return Array.from({ length: READERS }, (_, i) => streams[i % streams.length] ?? '/api/v1/live');
}

/** A crowd at a console. */
export class Crowd {
  readonly #door: ConsoleDoor;
  readonly #events = Array.from({ length: READERS }, () => 0);
  readonly #requests: ClientRequest[] = [];
  #stalled: Socket | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;
  #answers = 0;
  #slowestAnswerMs = 0;
  #refused = 0;
  #served = 0;
  #broken = 0;

  private constructor(door: ConsoleDoor) {
    this.#door = door;
  }

  /**
   * Opens the streams. Resolves when each reader has received something, and each hostile client has sent every kind of
   * request; all go on until the crowd is closed.
   */
  static async open(door: ConsoleDoor): Promise<Crowd> {
    const crowd = new Crowd(door);
    crowd.#stall();
    await Promise.all(streamsOf(door).map((path, reader) => crowd.#readStream(path, reader)));
    crowd.#timer = setInterval(() => void crowd.#request(), REQUEST_EVERY_MS);
    await Promise.all(
      HOSTILE_ADDRESSES.map((client) => new Promise<void>((tried) => void crowd.#attack(client, tried))),
    );
    return crowd;
  }

  figures(): CrowdFigures {
    return {
      fewestEvents: Math.min(...this.#events),
      events: this.#events.reduce((sum, count) => sum + count, 0),
      answers: this.#answers,
      slowestAnswerMs: this.#slowestAnswerMs,
      refused: this.#refused,
      served: this.#served,
      broken: this.#broken,
    };
  }

  /** Ends every connection. */
  close(): void {
    this.#isOpen = false;
    clearInterval(this.#timer);
    for (const each of this.#requests) each.destroy();
    this.#stalled?.destroy();
  }

  /** Sends a request from a client's address. */
  #send(path: string, client: number, onAnswer: (answer: IncomingMessage) => void): ClientRequest {
    const { origin, token } = this.#door;
    const headers = { authorization: `Bearer ${token}` };
    const sent = request(`${origin}${path}`, { localAddress: addressOf(client), agent: false, headers }, onAnswer);
    return sent.end();
  }

  #readStream(path: string, reader: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent = this.#send(path, reader + 1, (answer) => {
        if (answer.statusCode !== 200) return reject(new Error(`${path} was answered with ${answer.statusCode}`));
        answer.on('data', (part: Buffer) => {
          this.#events[reader] = (this.#events[reader] ?? 0) + countOf(part);
          resolve();
        });
        answer.on('close', () => this.#countBroken());
      });
      sent.on('error', (fault) => {
        if (this.#isOpen) reject(fault);
      });
      this.#requests.push(sent);
    });
  }

  #countBroken(): void {
    if (this.#isOpen) this.#broken += 1;
  }

  /** Opens the stream of the longest messages, and reads none of it. */
  #stall(): void {
    const { origin, bot, token } = this.#door;
    const { hostname, port, host } = new URL(origin);
    const socket = connect({ host: hostname, port: Number(port), localAddress: addressOf(STALLED_ADDRESS) });
    socket.on('error', () => undefined);
    const target = `/api/v1/bots/${bot}/live?view=markets&from=0&to=1000000`;
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    this.#stalled = socket;
  }

  /** Makes the request that a page makes beside its stream. */
  #request(): Promise<void> {
    const begun = performance.now();
    return new Promise((resolve) => {
      const sent = this.#send('/api/v1/bots', 1, (answer) => {
        answer.resume().on('end', () => {
          if (answer.statusCode === 200) this.#noteAnswer(performance.now() - begun);
          resolve();
        });
      });
      sent.setTimeout(ANSWER_MS_MAX, () => sent.destroy());
      sent.on('error', () => resolve());
    });
  }

  #noteAnswer(tookMs: number): void {
    this.#answers += 1;
    this.#slowestAnswerMs = Math.max(this.#slowestAnswerMs, tookMs);
  }

  /** Sends one hostile request after the other, with a pause between. Reports when it has sent each kind once. */
  async #attack(client: number, onEachSent: () => void): Promise<void> {
    for (let count = client; this.#isOpen; count++) {
      if (count === client + HOSTILE_ACTS.length) onEachSent();
      const act: HostileAct | undefined = HOSTILE_ACTS[count % HOSTILE_ACTS.length];
      if (act === undefined) return;
      const status = await sendHostile({ act, origin: this.#door.origin, localAddress: addressOf(client) });
      if (status !== null && status < 400) this.#served += 1;
      else this.#refused += 1;
      await new Promise((resolve) => setTimeout(resolve, HOSTILE_EVERY_MS));
    }
  }
}

/** Number of events that begin in a part of a stream. */
function countOf(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf(MARK); at >= 0; at = part.indexOf(MARK, at + MARK.length)) count += 1;
  return count;
}
