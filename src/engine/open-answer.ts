// The answer that is being handled. An answer is two events: `answered`, then an event with the content. Must never let
// a command leave between the two when the request failed.
import type { RequestCommand } from '../domain/venue-command.ts';
import type { EngineEvent } from '../domain/event.ts';

/** Keeps the request of an answer until the answer's second event. */
export class OpenAnswer {
  #request: RequestCommand | null = null;

  /** Keeps the answered request; `null` when it is not known. */
  setRequest(request: RequestCommand | null): void {
    this.#request = request;
  }

  /** The request that was answered last. `null` when it is not known, or waits to be sent again. */
  get request(): RequestCommand | null {
    return this.#request;
  }

  /** Removes and returns a request that the rate limit refused. `null` when another request was answered last. */
  takeRefused(commandId: number): RequestCommand | null {
    const request = this.#request;
    if (request?.id !== commandId) return null;
    this.#request = null;
    return request;
  }
}

/** True for the first event of a failed answer. Nothing may leave before the second event explains the failure. */
export const isFailureToExplain = (event: EngineEvent): boolean => event.kind === 'answered' && !event.ok;
