// The bot's HTTP client in a simulation: carries requests to the exchange under the network's conditions, and reports
// only what a real client could know. Must never report "not sent" for a request that may arrive.
import type { HttpClient, HttpOutcome, HttpRequest } from '../../../src/transport/http-client.ts';
import type { Scheduler } from '../../../src/transport/scheduler.ts';
import type { Reply, SimulatedExchange } from '../simulated-exchange.ts';
import type { Trace } from '../trace.ts';
import type { Life, VirtualTime } from '../virtual-time.ts';
import type { NetworkConditions } from './network-conditions.ts';

export interface LinkOptions {
  readonly time: VirtualTime;
  readonly network: NetworkConditions;
  readonly site: SimulatedExchange;
  readonly life: Life;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  /** Called for every request as its first byte leaves. */
  readonly onRequest: (request: HttpRequest) => void;
  /** Called for every answer as it arrives. */
  readonly onAnswer: (request: HttpRequest, reply: Reply) => void;
}

/** An answer that never comes. One promise per request: a shared one would hold all its waiters forever. */
const never = (): Promise<HttpOutcome> => new Promise(() => {});

/** An `HttpClient` of one process. */
export class HttpLink implements HttpClient {
  readonly #options: LinkOptions;
  readonly #flights = new Set<Promise<HttpOutcome>>();
  #isStopped = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  request(request: HttpRequest): Promise<HttpOutcome> {
    if (!this.#options.life.isAlive) return never();
    if (this.#isStopped) return Promise.resolve({ type: 'not-sent', reason: 'the client is stopped' });
    if (request.signal?.aborted) return Promise.resolve({ type: 'not-sent', reason: 'aborted before it was sent' });
    this.#options.onRequest(request);
    // The process may have died in this callback.
    if (!this.#options.life.isAlive) return never();
    const flight = new Promise<HttpOutcome>((resolve) => this.#transmit(request, resolve));
    this.#flights.add(flight);
    void flight.then(() => this.#flights.delete(flight));
    return flight;
  }

  warm(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#flights);
  }

  #transmit(request: HttpRequest, resolve: (outcome: HttpOutcome) => void): void {
    const { scheduler, time, life, network } = this.#options;
    let isOver = false;
    const settle = (outcome: HttpOutcome): void => {
      if (isOver || !life.isAlive) return;
      isOver = true;
      scheduler.cancel(deadline);
      request.signal?.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    const unknown = (reason: string) => (): void => settle({ type: 'unknown', reason });
    const late = unknown(`no answer within ${request.timeoutMs} ms`);
    const deadline = scheduler.after(request.timeoutMs, late);
    const onAbort = unknown('aborted');
    request.signal?.addEventListener('abort', onAbort);
    const transit = network.requestTransit();
    if (transit.type === 'refused')
      time.later(transit.afterMs, () => settle({ type: 'not-sent', reason: 'ECONNREFUSED' }), true);
    else if (transit.type === 'arrives') {
      time.later(transit.afterMs, () => this.#answer(request, settle));
      if (transit.brokenMs !== null) time.later(transit.brokenMs, unknown('ECONNRESET'), true);
    } else if (transit.noticedMs !== null) time.later(transit.noticedMs, unknown('ECONNRESET'), true);
  }

  #answer(request: HttpRequest, settle: (outcome: HttpOutcome) => void): void {
    const { site, network, time, trace } = this.#options;
    const goBack = (outcome: HttpOutcome, afterMs: number): void =>
      void time.later(afterMs, () => settle(outcome), true);
    if (!site.isUp) return goBack({ type: 'unknown', reason: 'ECONNRESET' }, network.latencyMs());
    trace.recordEvent('asked', `${request.method} ${request.path} ${request.body ?? ''}`);
    site.answer(request, (reply) => {
      if (reply === null) return goBack({ type: 'unknown', reason: 'socket hang up' }, network.latencyMs());
      const { status, headers, body } = reply;
      trace.recordEvent('answers', `${request.method} ${request.path} ${status}`);
      trace.hashText(body);
      const transit = network.answerTransit();
      if (transit.type === 'arrives') {
        time.later(
          transit.afterMs,
          () => {
            this.#options.onAnswer(request, reply);
            settle({ type: 'answered', status, headers, body });
          },
          true,
        );
      } else if (transit.noticedMs !== null) goBack({ type: 'unknown', reason: 'ECONNRESET' }, transit.noticedMs);
    });
  }
}
