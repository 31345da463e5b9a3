// One HTTP request in flight: watches the deadline, collects the answer, and reports one outcome. Must never let a
// request be written twice, or after it was reported as not sent.
import type { Dispatcher } from 'undici';
import { BODY_TYPE, type HttpHeaders, type HttpOutcome, type HttpRequest } from './http-client.ts';
import { describeNetworkError } from './network-error.ts';
import type { Scheduler, Timer } from './scheduler.ts';

/** Inputs of a request in flight, besides the request itself. */
export interface RequestInFlightOptions {
  readonly resolve: (outcome: HttpOutcome) => void;
  readonly scheduler: Scheduler;
  readonly bodyBytesMax: number;
}

/** Thrown to keep undici from writing a request: undici drops the request and leaves the connection open. */
class RequestDropped extends Error {
  override readonly name = 'RequestDropped';
}

const NO_HEADERS: HttpHeaders = {};

/** Ends the connection of a request that was written. */
export type RequestController = Pick<Dispatcher.DispatchController, 'abort'>;

/** Tracks one request, as undici's dispatch handler. */
export class RequestInFlight implements Dispatcher.DispatchHandler {
  readonly request: HttpRequest;
  readonly #options: RequestInFlightOptions;
  #deadline: Timer | null = null;
  readonly #onAbort = (): void => this.#giveUp('aborted');
  /** Set once the first byte may have been sent. */
  #controller: RequestController | null = null;
  /** Called at most once, when the request no longer needs the connection. */
  onDone: () => void = () => {};
  #isOver = false;
  #status = 0;
  #headers = NO_HEADERS;
  #chunks: Buffer[] = [];
  #bodyBytes = 0;

  constructor(request: HttpRequest, options: RequestInFlightOptions) {
    this.request = request;
    this.#options = options;
  }

  /** Starts the deadline, and gives the request up when its signal says so. */
  watch(): void {
    if (this.#isOver) return;
    const { request } = this;
    const onDeadline = (): void => this.#giveUp(`no answer within ${request.timeoutMs} ms`);
    this.#deadline = this.#options.scheduler.after(request.timeoutMs, onDeadline);
    request.signal?.addEventListener('abort', this.#onAbort);
  }

  get isSettled(): boolean {
    return this.#isOver;
  }

  get dispatchOptions(): Dispatcher.DispatchOptions {
    const { method, path, headers, body } = this.request;
    return { method, path, headers: body === null ? headers : { ...headers, 'content-type': BODY_TYPE }, body };
  }

  /** Called by undici when a connection is open and the request, which has waited for it, is about to be written. */
  onRequestStart(controller: RequestController): void {
    const isLeaving = !this.#isOver && this.#controller === null;
    const blocked = isLeaving ? (this.request.lastLook?.() ?? null) : null;
    if (blocked !== null) this.#settle({ type: 'not-sent', reason: blocked });
    this.beginWriting(controller);
  }

  /** Called when the request is about to be written. Throws when it must not be. */
  beginWriting(controller: RequestController): void {
    if (this.#isOver) throw new RequestDropped('given up while it waited for a connection');
    if (this.#controller !== null) throw new RequestDropped('a request is never written twice');
    this.#controller = controller;
  }

  onResponseStart(_controller: RequestController | null, status: number, headers: HttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: RequestController | null, chunk: Buffer): void {
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > this.#options.bodyBytesMax) {
      this.#giveUp(`the answer's body is larger than ${this.#options.bodyBytesMax} bytes`);
      return;
    }
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#settle({ type: 'answered', status: this.#status, headers: this.#headers, body: textOf(this.#chunks) });
    this.onDone();
  }

  onResponseError(_controller: RequestController | null, error: Error): void {
    this.#settle(this.#failure(describeNetworkError(error)));
    this.onDone();
  }

  #giveUp(why: string): void {
    const controller = this.#controller;
    this.#settle(this.#failure(why));
    controller?.abort(new RequestDropped(why));
  }

  #failure(reason: string): HttpOutcome {
    return this.#controller === null ? { type: 'not-sent', reason } : { type: 'unknown', reason };
  }

  #settle(outcome: HttpOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#deadline !== null) this.#options.scheduler.cancel(this.#deadline);
    this.request.signal?.removeEventListener('abort', this.#onAbort);
    this.#chunks = [];
    this.#options.resolve(outcome);
  }
}

function textOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  if (first === undefined) return '';
  return (chunks.length === 1 ? first : Buffer.concat(chunks)).toString('utf8');
}
