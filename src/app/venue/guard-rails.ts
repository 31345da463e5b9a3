// The venue's own guard rails of a session: what the config asks for, and what is asked for where it says nothing.
// Must never ask a dialect for what its wire cannot carry.
import type { BotConfig } from '../../config/bot-config.ts';
import type { Micros, Qty } from '../../domain/units.ts';
import { environmentOf } from '../../runtime/stages/stage-of-config.ts';
import { type VenueGuards, NO_VENUE_GUARDS, unsupportedGuard } from '../../venues/trade-api/rest/venue-guards.ts';
import type { GuardAbilities, WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import { UsageError } from '../usage-error.ts';

/** The guards of a session, and the order group that is to be made for it. */
export interface GuardRails {
  readonly guards: VenueGuards;
  /** Contracts of the session that may trade in any 15 seconds before the venue withdraws its orders; `null`: any number. */
  readonly orderGroupQty: Qty | null;
}

type Asked = Pick<BotConfig, 'venue' | 'limits'>;

/** An order that nobody asks for any more ends within this long. */
const REST_MS_MAX = 3_600_000;

/**
 * The guard rails of a config. In a world of the venue's own they stand unless they are turned off, however the
 * config names it; any other exchange is somebody's own, and has those that are asked for.
 * @throws {UsageError} when the dialect cannot carry what is asked for.
 */
export function guardRailsFor(config: Asked, profile: WireProfile): GuardRails {
  const { guards: asked, subaccount = null } = config.venue;
  const isAsked = asked !== undefined || environmentOf(config.venue, profile) !== null;
  const guards = isAsked ? { ...standing(asked, profile), subaccount } : { ...NO_VENUE_GUARDS, subaccount };
  const lacking = unsupportedGuard(profile, guards);
  if (lacking === 'subaccounts') throw new UsageError(`venue.subaccount: profile ${profile.name} has no subaccounts`);
  if (lacking !== null) throw new UsageError(`venue.guards: profile ${profile.name} cannot carry ${lacking}`);
  return { guards, orderGroupQty: isAsked ? groupQty(config, profile) : null };
}

/** What a config leaves open stands where the dialect can carry it. */
function standing(asked: BotConfig['venue']['guards'], { guards: can }: WireProfile): VenueGuards {
  return {
    ...NO_VENUE_GUARDS,
    cancelOnPause: asked?.cancelOnPause ?? can.cancelOnPause,
    restMsMax: restMsMax(asked?.restMax, can),
  };
}

function restMsMax(asked: Micros | null | undefined, can: GuardAbilities): number | null {
  if (asked === undefined) return can.expiry ? REST_MS_MAX : null;
  return asked === null ? null : Math.ceil(asked / 1000);
}

/** Unless it is said, as much as may be held of one market: whoever trades more in seconds trades wrongly. */
function groupQty({ venue, limits }: Asked, { name, guards: can }: WireProfile): Qty | null {
  const asked = venue.guards?.orderGroup;
  if (asked === undefined) return can.orderGroups ? (limits?.positionQtyMax ?? null) : null;
  if (asked !== null && !can.orderGroups)
    throw new UsageError(`venue.guards: profile ${name} cannot carry orderGroups`);
  return asked;
}
