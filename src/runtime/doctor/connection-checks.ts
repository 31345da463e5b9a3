// Checks the connection to the venue, the clocks and the key. For a refused key, finds the fault: a wrong id, a wrong
// private half, or a wrong environment.
import type { Gateway } from '../../venue.ts';
import { type Check, warnCheck, okCheck, skippedCheck, badCheck } from './check-result.ts';
import { VenueRequests, type CheckSubject, type FailedRead, isFailedRead, recordOf } from './check-subject.ts';

/**
 * Bounds of our clock's deviation, milliseconds. The check gives a warning above `warnMs`. It fails above `maxMs`,
 * because a session would send no order.
 */
export interface ClockTolerance {
  readonly warnMs: number;
  readonly maxMs: number;
}

/** Another of the venue's environments, reached with the same key. */
export interface OtherEnvironment {
  readonly name: string;
  readonly gateway: Gateway;
}

/** Checks that the venue answers, and compares our clock with its clock. */
export async function checkReach(
  subject: CheckSubject,
  requests: VenueRequests,
  clock: ClockTolerance,
): Promise<Check[]> {
  const answer = await requests.readPage({ what: 'status' });
  const { outcome } = answer;
  const status = recordOf(outcome, subject.profile.records.status);
  const reach = isFailedRead(status) ? unreached(subject, status) : reached(subject, status);
  if (outcome.type !== 'answered' || outcome.venueAt === null)
    return [reach, skippedCheck('clock', 'the venue did not say its time')];
  // The venue reports whole seconds, rounded down: on average half a second less than its true time.
  const middle = (answer.askedAt + answer.at) / 2;
  const offsetMs = Math.round((middle - outcome.venueAt) / 1000 - 500);
  return [reach, checkClock(offsetMs, clock)];
}

function reached(
  { place }: CheckSubject,
  { isActive, isTrading }: { readonly isActive: boolean; readonly isTrading: boolean },
): Check {
  if (isActive && isTrading) return okCheck('reach', `${place} answers, and trades`);
  const what = isActive ? 'trading is paused' : 'the exchange is paused';
  return warnCheck('reach', `${place} answers; ${what}`, 'wait: orders are refused until it trades again');
}

function unreached({ place, profile }: CheckSubject, { status, code, words }: FailedRead): Check {
  if (status === null)
    return badCheck('reach', `${place} cannot be reached: ${words}`, 'check the address and the network');
  if (status === 404)
    return badCheck(
      'reach',
      `${place} is a different service: ${words}`,
      `nothing at ${profile.basePath} there: check the host`,
    );
  if (code === null)
    return badCheck(
      'reach',
      `${place} does not speak ${profile.name}: ${words}`,
      'check the address and venue.profile',
    );
  return badCheck('reach', `${place} does not report its status: ${words}`, 'wait and try again');
}

function checkClock(offsetMs: number, { warnMs, maxMs }: ClockTolerance): Check {
  const off = Math.abs(offsetMs);
  const words = `our clock is ${(off / 1000).toFixed(1)} s ${offsetMs < 0 ? 'behind' : 'ahead of'} the venue’s`;
  const remedy = 'synchronize the clock of this machine, by NTP for example';
  if (off > maxMs) return badCheck('clock', `${words}: beyond clock.offsetMax no order is sent`, remedy);
  return off > warnMs ? warnCheck('clock', words, remedy) : okCheck('clock', `${words}, or less`);
}

/** Checks that the venue accepts the key's signature, by reading the balance. */
export async function checkSignature(
  subject: CheckSubject,
  requests: VenueRequests,
  others: readonly OtherEnvironment[],
): Promise<Check> {
  const balance = await requests.readRecord({ what: 'balance' }, subject.profile.records.balance);
  if (!isFailedRead(balance)) return okCheck('signature', `${subject.place} accepts the key`);
  if (balance.status === 401) return explainUnauthorized(subject, balance, others);
  if (balance.status === 403)
    return badCheck('signature', `the key may not read the account: ${balance.words}`, 'give it the read scope');
  return badCheck('signature', `the balance cannot be read: ${balance.words}`, 'wait and try again');
}

const WRONG_HALF = 'INCORRECT_API_KEY_SIGNATURE';

async function explainUnauthorized(
  subject: CheckSubject,
  refused: FailedRead,
  others: readonly OtherEnvironment[],
): Promise<Check> {
  const { place } = subject;
  if (refused.code === 'header_timestamp_expired')
    return badCheck('signature', `${place} finds our time too far from its own`, 'set the clock of this machine');
  if (refused.code === 'signature_is_missing_from_headers') {
    const remedy = 'check that venue.profile is the venue’s dialect; otherwise a proxy removes headers from requests';
    return badCheck('signature', `${place} found no signature, and one was sent`, remedy);
  }
  const home = await environmentOfKey(subject, others);
  if (home !== null) {
    const words = `${place} does not know the key: it belongs to ${home}`;
    return badCheck('signature', words, `set environment: ${home}, or give venue.key a key of ${place}`);
  }
  if (refused.details === WRONG_HALF) {
    const words = `${place} knows the key’s id, but the signature is not by its private half`;
    return badCheck('signature', words, 'give venue.key.file the file that was issued with this id');
  }
  const words = `${place} does not know the key’s id: ${refused.words}`;
  return badCheck('signature', words, 'check venue.key.id; a key that was deleted or has expired is unknown, too');
}

/** Returns the venue's other environment that accepts the key; `null` when none does. */
async function environmentOfKey(
  { profile, now }: CheckSubject,
  others: readonly OtherEnvironment[],
): Promise<string | null> {
  for (const { name, gateway } of others) {
    const balance = await new VenueRequests({ gateway, now }).readRecord({ what: 'balance' }, profile.records.balance);
    if (!isFailedRead(balance)) return name;
  }
  return null;
}
