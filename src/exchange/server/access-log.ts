// The access log: one line for every refusal with its reason, and on request one for every other request and command.
// Must never write a header, a body, or the value of a parameter that its endpoint does not take: secrets may be in them.
import type { Micros } from '../../domain/units.ts';
import type { Logger } from '../../log.ts';
import { type WireProfile, endpointOf, parametersOf } from '../../venues/trade-api/profile.ts';
import { bareCode, parseError } from '../../venues/trade-api/wire/errors.ts';
import type { AccountName } from '../input.ts';
import type { WireAnswer, WireRequest } from './call.ts';
import type { FeedFault } from './feed-faults.ts';
import { isRecord, parseJson } from './json-text.ts';

/** Options of an access log. */
export interface AccessLogOptions {
  readonly log: Logger;
  readonly profile: WireProfile;
  /** Whether requests are logged that are not refused. */
  readonly isWhole: boolean;
  readonly now: () => Micros;
}

/** The part of a request that is known without a route. */
export type BareRequest = Pick<WireRequest, 'method' | 'path' | 'address'>;

/** A request that has arrived. */
export interface Arrival {
  readonly request: WireRequest;
  /** Whose key it claims to come with. */
  readonly account: AccountName | null;
  readonly at: Micros;
}

/** A connection of the feed. */
export interface LoggedConnection {
  readonly connection: number;
  readonly account: AccountName | null;
}

const REFUSED_FROM = 400;
const TEXT_MAX = 300;

const cut = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);

/** Why a request was refused: the code where there is one, then the details. */
function reasonOf({ status, body, reason }: WireAnswer): string {
  const { code, message, details } = parseError(status, body);
  const isBare = code === bareCode(status);
  const known = reason ?? details ?? (isBare ? message : null);
  return cut([...(isBare ? [] : [code]), ...(known === null ? [] : [known])].join(': '));
}

/** Writes the access log. */
export class AccessLog {
  readonly #options: AccessLogOptions;

  constructor(options: AccessLogOptions) {
    this.#options = options;
  }

  /** A request was answered, or its connection dropped where the answer is `null`. */
  answered(arrival: Arrival, answer: WireAnswer | null): void {
    const { log, isWhole, now } = this.#options;
    const isRefused = answer !== null && answer.status >= REFUSED_FROM;
    if (!isWhole && !isRefused) return;
    const line = { ...this.#lineOf(arrival), ms: Math.round((now() - arrival.at) / 1000) };
    if (answer === null) log.info(line, 'request dropped');
    else if (isRefused) log.info({ ...line, status: answer.status, reason: reasonOf(answer) }, 'request refused');
    else log.info({ ...line, status: answer.status }, 'request');
  }

  /** A request was refused that has no route, or a body that is too long. */
  turnedAway({ method, path, address }: BareRequest, answer: WireAnswer): void {
    const line = { method, path: cut(path), address, status: answer.status, reason: reasonOf(answer) };
    this.#options.log.info(line, 'request refused');
  }

  /** A connection to the feed was refused. */
  feedRefused({ path, address }: Pick<BareRequest, 'path' | 'address'>, answer: WireAnswer): void {
    const { log } = this.#options;
    log.info({ path: cut(path), address, status: answer.status, reason: reasonOf(answer) }, 'feed refused');
  }

  feedOpened(connection: LoggedConnection): void {
    if (this.#options.isWhole) this.#options.log.info(connection, 'feed opened');
  }

  feedClosed(connection: LoggedConnection): void {
    if (this.#options.isWhole) this.#options.log.info(connection, 'feed closed');
  }

  /** A command arrived on a connection of the feed. */
  command(connection: LoggedConnection, text: string): void {
    const { log, isWhole } = this.#options;
    if (!isWhole) return;
    const found = parseJson(text);
    const { id, cmd } = isRecord(found) ? found : {};
    const named = typeof cmd === 'string' ? { cmd: cut(cmd) } : {};
    log.info({ ...connection, ...(typeof id === 'number' ? { id } : {}), ...named }, 'command');
  }

  /** A command on the feed was refused. */
  commandRefused(connection: LoggedConnection, { code, message, sid, tickers }: FeedFault): void {
    const about = {
      ...(sid === null ? {} : { sid }),
      ...(tickers.length === 0 ? {} : { tickers: tickers.slice(0, 10) }),
    };
    this.#options.log.info({ ...connection, code, reason: message, ...about }, 'command refused');
  }

  #lineOf({ request, account }: Arrival): Record<string, unknown> {
    const { method, path, endpoint, address } = request;
    const taken = new Set(parametersOf(endpointOf(this.#options.profile, endpoint)));
    const [known, ignored] = [true, false].map((isTaken) =>
      Object.entries(request.query).filter(([name]) => taken.has(name) === isTaken),
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
