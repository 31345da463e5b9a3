// Whether the venue is there, what its clock says, and whether it takes the key. A refusal of the key is read closely:
// which half is wrong, and whether it is the key of another of the venue's worlds.
import type { Gateway } from '../../venue.ts';
import { type Check, doubtful, fine, skipped, wrong } from './check.ts';
import { Asker, type Patient, type Refused, isRefused, recordOf } from './patient.ts';

/** Beyond the first a clock is told of; beyond the second nothing is ordered. Milliseconds. */
export interface ClockBounds {
  readonly warnMs: number;
  readonly maxMs: number;
}

/** The same key, shown to another of the venue's worlds. */
export interface OtherWorld {
  readonly name: string;
  readonly gateway: Gateway;
}

/** Whether the venue answers, and what its clock says. */
export async function checkReach(patient: Patient, asker: Asker, clock: ClockBounds): Promise<Check[]> {
  const answer = await asker.read({ what: 'status' });
  const { outcome } = answer;
  const status = recordOf(outcome, patient.profile.records.status);
  const reach = isRefused(status) ? unreached(patient, status) : reached(patient, status);
  if (outcome.type !== 'answered' || outcome.venueAt === null)
    return [reach, skipped('clock', 'the venue did not say its time')];
  // The venue says the whole second that had begun: on the average half a second ago.
  const middle = (answer.askedAt + answer.at) / 2;
  const offsetMs = Math.round((middle - outcome.venueAt) / 1000 - 500);
  return [reach, checkClock(offsetMs, clock)];
}

function reached(
  { place }: Patient,
  { isActive, isTrading }: { readonly isActive: boolean; readonly isTrading: boolean },
): Check {
  if (isActive && isTrading) return fine('reach', `${place} answers, and trades`);
  const what = isActive ? 'trading is paused' : 'the exchange is paused';
  return doubtful('reach', `${place} answers; ${what}`, 'wait: orders are refused until it trades again');
}

function unreached({ place, profile }: Patient, { status, code, words }: Refused): Check {
  if (status === null)
    return wrong('reach', `${place} cannot be reached: ${words}`, 'look at the address, and at the way to the network');
  if (status === 404)
    return wrong(
      'reach',
      `${place} is something else: ${words}`,
      `nothing at ${profile.basePath} there: look at the host`,
    );
  if (code === null)
    return wrong(
      'reach',
      `${place} does not speak ${profile.name}: ${words}`,
      'look at the address, and at venue.profile',
    );
  return wrong('reach', `${place} does not tell how it is: ${words}`, 'wait, and try again');
}

function checkClock(offsetMs: number, { warnMs, maxMs }: ClockBounds): Check {
  const off = Math.abs(offsetMs);
  const words = `our clock is ${(off / 1000).toFixed(1)} s ${offsetMs < 0 ? 'behind' : 'ahead of'} the venue’s`;
  const remedy = 'have the clock of this machine kept right, by NTP for example';
  if (off > maxMs) return wrong('clock', `${words}: beyond clock.offsetMax nothing is ordered`, remedy);
  return off > warnMs ? doubtful('clock', words, remedy) : fine('clock', `${words}, or nearer`);
}

/** Whether the venue takes what the key signs. */
export async function checkSignature(patient: Patient, asker: Asker, others: readonly OtherWorld[]): Promise<Check> {
  const balance = await asker.ask({ what: 'balance' }, patient.profile.records.balance);
  if (!isRefused(balance)) return fine('signature', `${patient.place} takes the key`);
  if (balance.status === 401) return unauthentic(patient, balance, others);
  if (balance.status === 403)
    return wrong('signature', `the key may not read the account: ${balance.words}`, 'give it the scope to read');
  return wrong('signature', `the balance cannot be read: ${balance.words}`, 'wait, and try again');
}

const WRONG_HALF = 'INCORRECT_API_KEY_SIGNATURE';

async function unauthentic(patient: Patient, refused: Refused, others: readonly OtherWorld[]): Promise<Check> {
  const { place } = patient;
  if (refused.code === 'header_timestamp_expired')
    return wrong('signature', `${place} finds our time too far from its own`, 'set the clock of this machine');
  if (refused.code === 'signature_is_missing_from_headers') {
    const remedy =
      'see that venue.profile is what is spoken there; else a proxy on the way takes headers out of requests';
    return wrong('signature', `${place} found no signature, and one was sent`, remedy);
  }
  const home = await worldOf(patient, others);
  if (home !== null) {
    const words = `${place} does not know the key: it is of ${home}`;
    return wrong('signature', words, `say environment: ${home}, or give venue.key a key of ${place}`);
  }
  if (refused.details === WRONG_HALF) {
    const words = `${place} knows the key’s id, and the signature is not by its private half`;
    return wrong('signature', words, 'give venue.key.file the file that came with this very id');
  }
  const words = `${place} does not know the key’s id: ${refused.words}`;
  return wrong('signature', words, 'look at venue.key.id; a key that was deleted or has expired is unknown too');
}

/** Which of the venue's other worlds takes the key; `null` when none does. */
async function worldOf({ profile, now }: Patient, others: readonly OtherWorld[]): Promise<string | null> {
  for (const { name, gateway } of others) {
    const balance = await new Asker({ gateway, now }).ask({ what: 'balance' }, profile.records.balance);
    if (!isRefused(balance)) return name;
  }
  return null;
}
