// The venue's own protections of a session, such as the cancel of its orders when trading pauses. Must never request a
// guard that the profile cannot carry.
import type { BotConfig } from '../../config/bot-config.ts';
import { ConfigValueFault } from '../../base/config-value-fault.ts';
import type { Micros, Qty } from '../../domain/units.ts';
import { environmentOf } from '../../runtime/stages/venue-environment.ts';
import { type VenueGuards, NO_VENUE_GUARDS, unsupportedGuard } from '../../venues/trade-api/rest/venue-guards.ts';
import type { GuardAbilities, WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';

/** The guards of a session, and the limit of its order groups. The venue cancels the orders of a group together. */
export interface GuardRails {
  readonly guards: VenueGuards;
  /**
   * After trades of this quantity on one shard within 15 seconds, the venue cancels the session's orders on the shard.
   * `null` for no limit.
   */
  readonly orderGroupQty: Qty | null;
}

type GuardConfig = Pick<BotConfig, 'venue' | 'limits'>;

const REST_MS_MAX = 3_600_000;

/**
 * Returns the guards of a config. In the venue's own environments, guards are on unless turned off. On any other
 * exchange, guards are off unless the config sets any.
 * @throws {ConfigValueFault} when the profile cannot carry a guard in the config.
 */
export function guardRailsFor(config: GuardConfig, profile: WireProfile): GuardRails {
  const { guards: given, subaccount = null } = config.venue;
  const isGuarded = given !== undefined || environmentOf(config.venue, profile) !== null;
  const guards = isGuarded ? { ...completeGuards(given, profile), subaccount } : { ...NO_VENUE_GUARDS, subaccount };
  const lacking = unsupportedGuard(profile, guards);
  if (lacking !== null) throw lackingFault(lacking, config, profile);
  return { guards, orderGroupQty: isGuarded ? groupQty(config, profile) : null };
}

/** The guard of each ability, as a member of the config. */
const GUARD_NAMES = {
  cancelOnPause: 'guards.cancelOnPause',
  expiry: 'guards.restMax',
  orderGroups: 'guards.orderGroup',
  subaccounts: 'subaccount',
} as const satisfies Record<keyof GuardAbilities, string>;

function lackingFault(
  lacking: keyof GuardAbilities,
  { venue: { guards, subaccount } }: Pick<GuardConfig, 'venue'>,
  { name }: WireProfile,
): ConfigValueFault {
  const values = { ...guards, expiry: guards?.restMax, orderGroups: guards?.orderGroup, subaccounts: subaccount };
  const value = { place: `venue.${GUARD_NAMES[lacking]}`, value: values[lacking] };
  return new ConfigValueFault(value, `nothing, because profile ${name} cannot carry it`);
}

/** Guards missing in the config are on where the profile can carry them. */
function completeGuards(given: BotConfig['venue']['guards'], { guards: can }: WireProfile): VenueGuards {
  return {
    ...NO_VENUE_GUARDS,
    cancelOnPause: given?.cancelOnPause ?? can.cancelOnPause,
    restMsMax: restMsMax(given?.restMax, can),
  };
}

function restMsMax(given: Micros | null | undefined, can: GuardAbilities): number | null {
  if (given === undefined) return can.expiry ? REST_MS_MAX : null;
  return given === null ? null : Math.ceil(given / 1000);
}

/** The default is the position limit: more trades within seconds are a mistake. */
function groupQty({ venue, limits }: GuardConfig, profile: WireProfile): Qty | null {
  const { guards: can } = profile;
  const given = venue.guards?.orderGroup;
  if (given === undefined) return can.orderGroups ? (limits?.positionQtyMax ?? null) : null;
  if (given !== null && !can.orderGroups) throw lackingFault('orderGroups', { venue }, profile);
  return given;
}
