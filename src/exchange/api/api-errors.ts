// Builds every refusal of the server in the shapes of the wire. Must never quote a header: headers hold signatures.
import type { Quirks } from '../../venues/trade-api/profiles/wire-profile.ts';
import { encodeError, decodeError } from '../../venues/trade-api/wire/error-body.ts';
import type { ErrorRecord } from '../../venues/trade-api/wire/wire-records.ts';
import { REFUSAL_STATUS, type Refusal } from '../machine/exchange-refusal.ts';
import type { EndpointCall, WireAnswer } from './endpoint-call.ts';

/** The refusal of a request, thrown with the answer to be sent. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault';
  readonly answer: WireAnswer;

  /** @param reason The reason in this project's words, when the answer says less. For the log only; never sent. */
  constructor(answer: WireAnswer, reason?: string) {
    super(`answered ${answer.status} ${answer.body}`);
    this.answer = reason === undefined ? answer : { ...answer, reason };
  }
}

/** An answer with a body that is JSON text. */
export const jsonTextAnswer = (status: number, body: string): WireAnswer => ({
  status,
  body,
  contentType: 'application/json',
});

/** An answer with a value as its JSON body. */
export const jsonAnswer = (status: number, body: unknown): WireAnswer => jsonTextAnswer(status, JSON.stringify(body));

/** A refusal of the form `{"error":{code, message, details}}`. */
export const nestedError = (status: number, code: string, details: string | null = null): WireAnswer =>
  jsonAnswer(status, encodeError({ code, message: null, details }));

/** Details that real venues of the family are known to give. */
const VENUE_DETAILS: ReadonlySet<string | null> = new Set(['post only cross']);

const detailsBy = ({ detailsOfRefusals }: Quirks, details: string | null): string | null =>
  detailsOfRefusals === 'ours' || VENUE_DETAILS.has(details) ? details : null;

interface OwnRefusal {
  readonly status: number;
  readonly code: string;
  /** Sent only when the dialect gives details. */
  readonly details?: string;
}

/** Refuses a call with a nested error. The details are logged, and sent only when the dialect gives them. */
export const refuseCall = (
  { profile }: Pick<EndpointCall, 'profile'>,
  { status, code, details }: OwnRefusal,
): RequestFault => new RequestFault(nestedError(status, code, detailsBy(profile.quirks, details ?? null)), details);

/** Refuses a call whose parameters have the right types but make no sense. */
export const invalidParameters = (call: Pick<EndpointCall, 'profile'>, details: string): RequestFault =>
  refuseCall(call, { status: 400, code: 'invalid_parameters', details });

/** An answer of the form `{code, message, details}` to input that cannot be read. */
export const flatError = (details: string): WireAnswer =>
  jsonAnswer(400, { code: 'bad_request', message: 'bad request', details });

/** Fills the `{words}` of a dialect's text template. */
export const fillTemplate = (template: string, words: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, word: string) => words[word] ?? whole);

/** An answer of the form `{msg}` to an invalid query. */
export const queryError = (msg: string): WireAnswer => jsonAnswer(400, { msg });

/** The answer to a request without a route. */
export const NO_ROUTE: WireAnswer = {
  status: 404,
  body: '404 page not found\n',
  contentType: 'text/plain; charset=utf-8',
  reason: 'no such route',
};

/** Turns a refusal by the exchange into a fault. */
export const refusalFault = (call: Pick<EndpointCall, 'profile'>, { code, details }: Refusal): RequestFault =>
  refuseCall(call, { status: REFUSAL_STATUS[code], code, ...(details === null ? {} : { details }) });

/** Encodes a refusal by the exchange as an item of an answer. */
export function refusalRecord({ profile }: Pick<EndpointCall, 'profile'>, refusal: Refusal): ErrorRecord {
  const details = detailsBy(profile.quirks, refusal.details);
  const { error } = encodeError({ code: refusal.code, message: null, details });
  return { code: refusal.code, message: error.message, details };
}

/** Encodes a fault as an item of an answer. */
export const faultRecord = ({ answer }: RequestFault): ErrorRecord | null => decodeError(answer.status, answer.body);

/** An answer without a body. */
export const emptyAnswer = (status: number): WireAnswer => ({ status, body: '', contentType: null });

/** The answer to an unexpected error. The caller cannot know if the request was executed. */
export const INTERNAL_ERROR: WireAnswer = nestedError(500, 'internal_server_error');
/** The answer while the server stops. The request was not executed. */
export const SHUTTING_DOWN: WireAnswer = nestedError(503, 'service_unavailable');
/** The answer to a body that is too long. */
export const BODY_TOO_LARGE: WireAnswer = { ...flatError('body: too large'), status: 413 };
/** The answer to a body that began first, when unfinished bodies have grown too large together. It was not executed. */
export const TOO_MANY_BODIES: WireAnswer = { ...SHUTTING_DOWN, reason: 'too many unfinished bodies' };
