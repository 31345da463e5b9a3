// The meaning of a receiver's answer: accepted, to be tried again, or never to be accepted. Must never take a good
// status for an acceptance where the service says more.
import type { TargetConfig } from '../../config/alerts-config.ts';
import type { DeliveryOutcome } from '../queue/alert-queue.ts';
import type { HttpAnswer } from './http-post.ts';

/** With these statuses, a later attempt would fail as well. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

/** Decides the outcome of a message from its answer. */
export function outcomeOf(type: TargetConfig['type'], answer: HttpAnswer): DeliveryOutcome {
  const { status, body } = answer;
  if (status >= 200 && status < 300)
    return isAccepted(type, body) ? { type: 'sent' } : { type: 'failed', afterMs: null };
  if (REFUSED.has(status)) return { type: 'refused' };
  return { type: 'failed', afterMs: retryAfterMs(answer) };
}

/** A network's login page has a good status, too. Where the service has a fixed answer, the body decides. */
function isAccepted(type: TargetConfig['type'], body: string): boolean {
  switch (type) {
    case 'slack':
      return body.trim() === 'ok';
    case 'telegram':
      return memberOf(body, 'ok') === true;
    case 'ntfy':
      return typeof memberOf(body, 'id') === 'string';
    case 'discord':
    case 'webhook':
    case 'command':
      return true;
  }
}

/** Discord and Telegram have the wait in the body, others in the header. The unit is seconds. */
function retryAfterMs({ retryAfter, body }: HttpAnswer): number | null {
  const parameters = memberOf(body, 'parameters');
  const inBody = memberOf(body, 'retry_after') ?? propertyOf(parameters, 'retry_after');
  const seconds = typeof inBody === 'number' ? inBody : Number(retryAfter ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1000) : null;
}

function memberOf(body: string, name: string): unknown {
  try {
    return propertyOf(JSON.parse(body), name);
  } catch {
    return undefined;
  }
}

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
