// Reads the reason for a refusal from any error body. Must never fail: a refusal with an empty body still has a status.
import { isRecord, parseBody } from './json-record.ts';
import type { ErrorRecord } from './wire-records.ts';

const TEXT_MAX = 200;

/** The error body that servers of this API family normally send. */
export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly details?: string };
}

/** Builds an error body. The default message is the code with spaces for underscores. */
export function encodeError({ code, message, details }: ErrorRecord): ErrorBody {
  const error = { code, message: message ?? code.replaceAll('_', ' ') };
  return { error: details === null ? error : { ...error, details } };
}

/** The code that we give to a refusal without one. */
export const codeOfStatus = (status: number): string => `http_${status}`;

/**
 * Reads the body of a refusal: `{"error":{"code","message","details"}}`, `{"code","message","details"}`, `{"msg"}`,
 * `{"error":"…"}`, plain text, or nothing.
 */
export function decodeError(status: number, body: string): ErrorRecord {
  const outer = parseBody(body);
  if (!isRecord(outer)) return bare(status, body);
  const inner = outer['error'];
  const found = isRecord(inner) ? inner : outer;
  const code = textOf(found['code']);
  const message = textOf(found['message']) ?? textOf(found['msg']) ?? textOf(inner);
  if (code === null && message === null) return bare(status, body);
  return { code: code ?? codeOfStatus(status), message, details: textOf(found['details']) };
}

const bare = (status: number, body: string): ErrorRecord => ({
  code: codeOfStatus(status),
  message: body.trim() === '' ? null : cut(body.trim()),
  details: null,
});

const cut = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? cut(value) : null);

/** A refusal as text: status, code and further parts. */
export const describeError = (status: number, { code, message, details }: ErrorRecord): string =>
  [`${status} ${code}`, message, details].filter((part) => part !== null && part !== '').join(': ');
