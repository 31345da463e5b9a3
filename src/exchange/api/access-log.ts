// The access log: one line for every refusal, and optionally for every other request and command. Must never write a
// header or a body, nor a parameter that the endpoint does not take: these may hold secrets.
import type { Micros } from '../../domain/units.ts';
import type { Logger } from '../../log.ts';
import { type WireProfile, endpointOf, parametersOf } from '../../venues/trade-api/profiles/wire-profile.ts';
import { codeOfStatus, decodeError } from '../../venues/trade-api/wire/error-body.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { WireAnswer, WireRequest } from './endpoint-call.ts';
import type { FeedError } from '../feed/feed-errors.ts';
import { isRecord, parseJson } from './json-text.ts';

/** The logger of an access log, and what is logged. */
export interface AccessLogOptions {
  readonly log: Logger;
  readonly profile: WireProfile;
  /** True when every request, feed connection and feed command is logged, not only refusals. */
  readonly logsRequests: boolean;
  readonly now: () => Micros;
}

/** The parts of a request that are known without a route. */
export type BareRequest = Pick<WireRequest, 'method' | 'path' | 'address'>;

/** A received request, with the time at which it arrived. */
export interface ReceivedRequest {
  readonly request: WireRequest;
  /** Account of the key that the request claims; `null` without a known key. */
  readonly account: AccountName | null;
  readonly at: Micros;
}

/** A feed connection as the log names it. */
export interface LoggedConnection {
  readonly connection: number;
  readonly account: AccountName | null;
}

const REFUSED_FROM = 400;
const TEXT_MAX = 300;

const cut = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);

function reasonOf({ status, body, reason }: WireAnswer): string {
  const { code, message, details } = decodeError(status, body);
  const isBare = code === codeOfStatus(status);
  const known = reason ?? details ?? (isBare ? message : null);
  return cut([...(isBare ? [] : [code]), ...(known === null ? [] : [known])].join(': '));
}

/** Writes the access log. */
export class AccessLog {
  readonly #options: AccessLogOptions;

  constructor(options: AccessLogOptions) {
    this.#options = options;
  }

  /** Logs an answered request, or a dropped connection when the answer is `null`. */
  logAnswer(arrival: ReceivedRequest, answer: WireAnswer | null): void {
    const { log, logsRequests, now } = this.#options;
    const isRefused = answer !== null && answer.status >= REFUSED_FROM;
    if (!logsRequests && !isRefused) return;
    const line = { ...this.#lineOf(arrival), ms: Math.round((now() - arrival.at) / 1000) };
    if (answer === null) log.info(line, 'request dropped');
    else if (isRefused) log.info({ ...line, status: answer.status, reason: reasonOf(answer) }, 'request refused');
    else log.info({ ...line, status: answer.status }, 'request');
  }

  /** Logs the refusal of a request without a route, or with a body that is not read to its end. */
  logRejected({ method, path, address }: BareRequest, answer: WireAnswer): void {
    const line = { method, path: cut(path), address, status: answer.status, reason: reasonOf(answer) };
    this.#options.log.info(line, 'request refused');
  }

  logFeedRefused({ path, address }: Pick<BareRequest, 'path' | 'address'>, answer: WireAnswer): void {
    const { log } = this.#options;
    log.info({ path: cut(path), address, status: answer.status, reason: reasonOf(answer) }, 'feed refused');
  }

  logFeedOpened(connection: LoggedConnection): void {
    if (this.#options.logsRequests) this.#options.log.info(connection, 'feed opened');
  }

  logFeedClosed(connection: LoggedConnection): void {
    if (this.#options.logsRequests) this.#options.log.info(connection, 'feed closed');
  }

  logCommand(connection: LoggedConnection, text: string): void {
    const { log, logsRequests } = this.#options;
    if (!logsRequests) return;
    const found = parseJson(text);
    const { id, cmd } = isRecord(found) ? found : {};
    const named = typeof cmd === 'string' ? { cmd: cut(cmd) } : {};
    log.info({ ...connection, ...(typeof id === 'number' ? { id } : {}), ...named }, 'command');
  }

  logCommandRefused(connection: LoggedConnection, { code, message, sid, tickers }: FeedError): void {
    const subject = {
      ...(sid === null ? {} : { sid }),
      ...(tickers.length === 0 ? {} : { tickers: tickers.slice(0, 10) }),
    };
    this.#options.log.info({ ...connection, code, reason: message, ...subject }, 'command refused');
  }

  #lineOf({ request, account }: ReceivedRequest): Record<string, unknown> {
    const { method, path, endpoint, address } = request;
    const accepted = new Set(parametersOf(endpointOf(this.#options.profile, endpoint)));
    const [known, ignored] = [true, false].map((isAccepted) =>
      Object.entries(request.query).filter(([name]) => accepted.has(name) === isAccepted),
    );
    const query = (known ?? []).flatMap(([name, values]) => values.map((value) => `${name}=${value}`)).join('&');
    return {
      method,
      path: cut(path),
      endpoint,
      ...(query === '' ? {} : { query: cut(query) }),
      ...(ignored === undefined || ignored.length === 0
        ? {}
        : { ignored: ignored.slice(0, 10).map(([name]) => cut(name)) }),
      account,
      address,
    };
  }
}
