// What the venue itself is asked to see to, so that it holds while we are gone: that orders end when trading pauses, end by
// themselves after a while, end together when too much trades at once, and are of one part of the account.
// Must never be all that stands between a fault and a loss: the rules in `risk/` hold without it.
import { type Micros, fromSeconds } from '../../domain/units.ts';
import type { GuardAbilities, WireProfile } from './profile.ts';

/** The guard rails of one session. */
export interface Guards {
  /** Every order is withdrawn by the venue when trading pauses. */
  readonly cancelOnPause: boolean;
  /** How long an order that has no end of its own may rest. Milliseconds; `null`: for ever. */
  readonly restMsMax: number | null;
  /** The order group that every order counts for. */
  readonly groupId: string | null;
  /** The part of the account that trades and is read; 0 is the account itself. `null`: not said. */
  readonly subaccount: number | null;
}

export const NO_GUARDS: Guards = { cancelOnPause: false, restMsMax: null, groupId: null, subaccount: null };

const NEEDS: Readonly<Record<keyof Guards, keyof GuardAbilities>> = {
  cancelOnPause: 'cancelOnPause',
  restMsMax: 'expiry',
  groupId: 'orderGroups',
  subaccount: 'subaccounts',
};
const MEMBERS = ['cancelOnPause', 'restMsMax', 'groupId', 'subaccount'] as const;

/** The first of the guards that a dialect cannot carry, as it calls it; `null` when it can carry them all. */
export function unguarded(profile: Pick<WireProfile, 'guards'>, guards: Guards): keyof GuardAbilities | null {
  const asked = MEMBERS.filter((member) => guards[member] !== NO_GUARDS[member]);
  const needs = asked.map((member) => NEEDS[member]);
  return needs.find((ability) => !profile.guards[ability]) ?? null;
}

/** When an order that was made now must end by itself: a whole second; `null` when it need not. */
export function lastsUntil(createdAt: Micros, { restMsMax }: Guards): Micros | null {
  return restMsMax === null ? null : fromSeconds(Math.floor((createdAt / 1000 + restMsMax) / 1000));
}
