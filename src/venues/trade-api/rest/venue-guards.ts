// Guard rails that the venue enforces for us, even while we are disconnected. Must never be the only protection: the
// rules in `risk/` must suffice without them.
import { type Micros, fromSeconds } from '../../../domain/units.ts';
import type { GuardAbilities, WireProfile } from '../profiles/wire-profile.ts';

/** The guard rails of one session. */
export interface VenueGuards {
  readonly cancelOnPause: boolean;
  /** Longest life of an order without an expiry of its own, in milliseconds; `null` for unlimited. */
  readonly restMsMax: number | null;
  readonly groupId: string | null;
  /** The subaccount that trades and is read; 0 is the account itself. `null`: not sent. */
  readonly subaccount: number | null;
}

export const NO_VENUE_GUARDS: VenueGuards = { cancelOnPause: false, restMsMax: null, groupId: null, subaccount: null };

const NEEDS: Readonly<Record<keyof VenueGuards, keyof GuardAbilities>> = {
  cancelOnPause: 'cancelOnPause',
  restMsMax: 'expiry',
  groupId: 'orderGroups',
  subaccount: 'subaccounts',
};
const MEMBERS = ['cancelOnPause', 'restMsMax', 'groupId', 'subaccount'] as const;

/** The first active guard that a dialect does not support; `null` when it supports all of them. */
export function unsupportedGuard(
  profile: Pick<WireProfile, 'guards'>,
  guards: VenueGuards,
): keyof GuardAbilities | null {
  const active = MEMBERS.filter((member) => guards[member] !== NO_VENUE_GUARDS[member]);
  const needs = active.map((member) => NEEDS[member]);
  return needs.find((ability) => !profile.guards[ability]) ?? null;
}

/** The expiry time of an order created at `createdAt`, in whole seconds; `null` when the guards set none. */
export function guardExpiryOf(createdAt: Micros, { restMsMax }: VenueGuards): Micros | null {
  return restMsMax === null ? null : fromSeconds(Math.floor((createdAt / 1000 + restMsMax) / 1000));
}
