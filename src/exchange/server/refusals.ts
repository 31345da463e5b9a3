// Every refusal the server gives, in the shapes of the wire: nested, flat, a lone message, plain text.
// Must never quote a header: signatures are in them.
import type { Manners } from '../../venues/trade-api/profile.ts';
import { errorBody, parseError } from '../../venues/trade-api/wire/errors.ts';
import type { ErrorRecord } from '../../venues/trade-api/wire/records.ts';
import { REFUSAL_STATUS, type Refusal } from '../refusal.ts';
import type { Call, WireAnswer } from './call.ts';

/** A request that is not granted, with its answer. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault';
  readonly answer: WireAnswer;

  /** `reason`: the reason in our own words, if the answer says less. Only for the log; never sent. */
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

/** The exchange's own refusals: `{"error":{code, message, details}}`. */
export const nested = (status: number, code: string, details: string | null = null): WireAnswer =>
  json(status, errorBody({ code, message: null, details }));

/** Particulars that venues of the family are known to give. */
const THEIR_DETAILS: ReadonlySet<string | null> = new Set(['post only cross']);

/** The particulars of a refusal, as far as the dialect gives any. */
const detailsBy = ({ detailsOfRefusals }: Manners, details: string | null): string | null =>
  detailsOfRefusals === 'ours' || THEIR_DETAILS.has(details) ? details : null;

/** A refusal of the exchange's own. */
interface OwnRefusal {
  readonly status: number;
  readonly code: string;
  /** Given as far as the dialect gives any. */
  readonly details?: string;
}

/** Refuses a call. */
export const refuse = ({ profile }: Pick<Call, 'profile'>, { status, code, details }: OwnRefusal): RequestFault =>
  new RequestFault(nested(status, code, detailsBy(profile.manners, details ?? null)), details);

/** Refuses a call for what it asks with, which has the right types and the wrong sense. */
export const senseless = (call: Pick<Call, 'profile'>, details: string): RequestFault =>
  refuse(call, { status: 400, code: 'invalid_parameters', details });

/** What could not be read as what it should be: `{code, message, details}`. */
export const flat = (details: string): WireAnswer =>
  json(400, { code: 'bad_request', message: 'bad request', details });

/** A template of a dialect's words, with its `{words}` filled in. */
export const filled = (template: string, words: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, word: string) => words[word] ?? whole);

/** A query that does not fit: `{msg}`. */
export const wrongQuery = (msg: string): WireAnswer => json(400, { msg });

/** No such route. */
export const NO_ROUTE: WireAnswer = {
  status: 404,
  body: '404 page not found\n',
  contentType: 'text/plain; charset=utf-8',
  reason: 'no such route',
};

/** What the exchange refused, as a fault. */
export const refusedBy = (call: Pick<Call, 'profile'>, { code, details }: Refusal): RequestFault =>
  refuse(call, { status: REFUSAL_STATUS[code], code, ...(details === null ? {} : { details }) });

/** The same beside others, as an item of an answer. */
export function errorOf({ profile }: Pick<Call, 'profile'>, refusal: Refusal): ErrorRecord {
  const details = detailsBy(profile.manners, refusal.details);
  const { error } = errorBody({ code: refusal.code, message: null, details });
  return { code: refusal.code, message: error.message, details };
}

/** A refusal of one item of several, as it stands in the answer. */
export const errorIn = ({ answer }: RequestFault): ErrorRecord | null => parseError(answer.status, answer.body);

/** The answer that says nothing but that it is done. */
export const nothing = (status: number): WireAnswer => ({ status, body: '', contentType: null });

/** Something broke that is not the caller's doing. Whether the request was carried out is then not known. */
export const BROKEN: WireAnswer = nested(500, 'internal_server_error');
/** The server is going down, and did not carry out the request. */
export const CLOSING: WireAnswer = nested(503, 'service_unavailable');
/** The body was longer than any request needs. */
export const TOO_LARGE: WireAnswer = { ...flat('body: too large'), status: 413 };
