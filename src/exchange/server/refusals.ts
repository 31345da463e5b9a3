// Every refusal of the server, in the shapes of the wire: nested, flat, a single message, plain text. Must never quote
// a header: headers hold signatures.
import type { Manners } from '../../venues/trade-api/profile.ts';
import { errorBody, parseError } from '../../venues/trade-api/wire/errors.ts';
import type { ErrorRecord } from '../../venues/trade-api/wire/records.ts';
import { REFUSAL_STATUS, type Refusal } from '../refusal.ts';
import type { Call, WireAnswer } from './call.ts';

/** A refused request, with its answer. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault';
  readonly answer: WireAnswer;

  /** `reason`: the reason in this project's words, when the answer says less. For the log only; never sent. */
  constructor(answer: WireAnswer, reason?: string) {
    super(`answered ${answer.status} ${answer.body}`);
    this.answer = reason === undefined ? answer : { ...answer, reason };
  }
}

/** A JSON answer. */
export const json = (status: number, body: unknown): WireAnswer => ({
  status,
  body: JSON.stringify(body),
  contentType: 'application/json',
});

/** A refusal by the exchange: `{"error":{code, message, details}}`. */
export const nested = (status: number, code: string, details: string | null = null): WireAnswer =>
  json(status, errorBody({ code, message: null, details }));

/** Details that real venues of the family are known to give. */
const VENUE_DETAILS: ReadonlySet<string | null> = new Set(['post only cross']);

/** The details of a refusal, as far as the dialect gives any. */
const detailsBy = ({ detailsOfRefusals }: Manners, details: string | null): string | null =>
  detailsOfRefusals === 'ours' || VENUE_DETAILS.has(details) ? details : null;

/** A refusal by the exchange. */
interface OwnRefusal {
  readonly status: number;
  readonly code: string;
  /** Sent only when the dialect gives details. */
  readonly details?: string;
}

/** Refuses a call. */
export const refuse = ({ profile }: Pick<Call, 'profile'>, { status, code, details }: OwnRefusal): RequestFault =>
  new RequestFault(nested(status, code, detailsBy(profile.manners, details ?? null)), details);

/** Refuses a call whose parameters have the right types but make no sense. */
export const senseless = (call: Pick<Call, 'profile'>, details: string): RequestFault =>
  refuse(call, { status: 400, code: 'invalid_parameters', details });

/** Refuses input that cannot be read: `{code, message, details}`. */
export const flat = (details: string): WireAnswer =>
  json(400, { code: 'bad_request', message: 'bad request', details });

/** Fills the `{words}` of a dialect's text template. */
export const filled = (template: string, words: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, word: string) => words[word] ?? whole);

/** Refuses an invalid query: `{msg}`. */
export const wrongQuery = (msg: string): WireAnswer => json(400, { msg });

/** No such route. */
export const NO_ROUTE: WireAnswer = {
  status: 404,
  body: '404 page not found\n',
  contentType: 'text/plain; charset=utf-8',
  reason: 'no such route',
};

/** The exchange's refusal as a fault. */
export const refusedBy = (call: Pick<Call, 'profile'>, { code, details }: Refusal): RequestFault =>
  refuse(call, { status: REFUSAL_STATUS[code], code, ...(details === null ? {} : { details }) });

/** The exchange's refusal as an item of an answer. */
export function errorOf({ profile }: Pick<Call, 'profile'>, refusal: Refusal): ErrorRecord {
  const details = detailsBy(profile.manners, refusal.details);
  const { error } = errorBody({ code: refusal.code, message: null, details });
  return { code: refusal.code, message: error.message, details };
}

/** A fault as an item of an answer. */
export const errorIn = ({ answer }: RequestFault): ErrorRecord | null => parseError(answer.status, answer.body);

/** An answer without a body. */
export const nothing = (status: number): WireAnswer => ({ status, body: '', contentType: null });

/** Internal error. The caller cannot know whether the request was executed. */
export const BROKEN: WireAnswer = nested(500, 'internal_server_error');
/** The server is stopping and did not execute the request. */
export const CLOSING: WireAnswer = nested(503, 'service_unavailable');
/** The body was too long. */
export const TOO_LARGE: WireAnswer = { ...flat('body: too large'), status: 413 };
