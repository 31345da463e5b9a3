// Texts that pass through the queue: bounded JSON with an HMAC-SHA256 by the queue's secret, for one purpose and name
// each. Must never parse a text before its signature is checked.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';

/** A text of the queue that was refused: absent, too long, not signed by the queue's secret, or of another form. */
export class PayloadFault extends Error {
  override readonly name = 'PayloadFault';
}

/** Bytes of a signature in hexadecimal, and the character after it. */
const HEAD = 65;
const BYTES_MAX = 4 * 1024 * 1024;

/** Purpose and name of a text, such as `result` and the hash of a trial: a signature holds for no other. */
export type PayloadPurpose = readonly [purpose: 'setup' | 'trial' | 'result', name: string];

const macOf = (body: string, [purpose, name]: PayloadPurpose, secret: string): Buffer =>
  createHmac('sha256', secret).update(`${purpose}\n${name}\n`).update(body).digest();

/**
 * Makes a text.
 * @throws {PayloadFault} when the text is longer than 4 MiB.
 */
export function sealPayload(value: unknown, purpose: PayloadPurpose, secret: string): string {
  const body = JSON.stringify(value);
  if (Buffer.byteLength(body) > BYTES_MAX)
    throw new PayloadFault(`${purpose[0]}: expected at most ${BYTES_MAX} bytes, found ${Buffer.byteLength(body)}`);
  return `${macOf(body, purpose, secret).toString('hex')} ${body}`;
}

/** True for the text of such a fault. Another try of the same trial gives a text of the same length. */
export const isTooLong = (reason: string): boolean => /^\w+: expected at most \d+ bytes, found \d+$/.test(reason);

interface OpenOptions<Value> {
  readonly schema: z.ZodType<Value>;
  readonly purpose: PayloadPurpose;
  readonly secret: string;
}

/**
 * Reads a text.
 * @throws {PayloadFault} when it was not made by `sealPayload` with the same purpose and secret, or does not fit the schema.
 */
export function openPayload<Value>(text: string, { schema, purpose, secret }: OpenOptions<Value>): Value {
  const [what] = purpose;
  if (Buffer.byteLength(text) > BYTES_MAX + HEAD)
    throw new PayloadFault(`${what}: expected at most ${BYTES_MAX} bytes`);
  const body = text.slice(HEAD);
  const mac = Buffer.from(text.slice(0, HEAD - 1), 'hex');
  const expected = macOf(body, purpose, secret);
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected))
    throw new PayloadFault(
      `${what}: expected a signature by PRESAGE_QUEUE_SECRET, found another; a study and its workers have the same secret`,
    );
  const parsed = schema.safeParse(JSON.parse(body));
  if (parsed.success) return parsed.data;
  throw new PayloadFault(
    `${what}: expected the members of this version, found ${parsed.error.issues[0]?.message ?? 'others'}`,
  );
}
