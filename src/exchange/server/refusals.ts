// Every refusal the server gives, in the shapes of the wire: nested, flat, a lone message, plain text.
// Must never quote a header: signatures are in them.
import { errorBody } from '../../venues/trade-api/wire/errors.ts';
import { REFUSAL_STATUS, type Refusal } from '../refusal.ts';
import type { WireAnswer } from './call.ts';

/** A request that is not granted, with its answer. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault';
  readonly answer: WireAnswer;

  constructor(answer: WireAnswer) {
    super(`answered ${answer.status} ${answer.body}`);
    this.answer = answer;
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

/** What could not be read as what it should be: `{code, message, details}`. */
export const flat = (details: string): WireAnswer =>
  json(400, { code: 'bad_request', message: 'bad request', details });

/** A query that does not fit: `{msg}`. */
export const wrongQuery = (endpoint: string, problem: string): WireAnswer =>
  json(400, { msg: `Parameter validation failed for ${endpoint}: ${problem}` });

/** No such route. */
export const NO_ROUTE: WireAnswer = {
  status: 404,
  body: '404 page not found\n',
  contentType: 'text/plain; charset=utf-8',
};

/** What the exchange refused, as a fault. */
export const refusedBy = ({ code, details }: Refusal): RequestFault =>
  new RequestFault(nested(REFUSAL_STATUS[code], code, details));

/** Something broke that is not the caller's doing. Whether the request was carried out is then not known. */
export const BROKEN: WireAnswer = nested(500, 'internal_server_error');
/** The server is going down, and did not carry out the request. */
export const CLOSING: WireAnswer = nested(503, 'service_unavailable');
/** The body was longer than any request needs. */
export const TOO_LARGE: WireAnswer = { ...flat('body: too large'), status: 413 };
