// The parts of a `trade-api` venue that a replay needs. Must never load the code of connections and signatures: a replay
// uses neither, and starts sooner without them.
import type { FeeRounding } from '../../domain/fee-schedule.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Capabilities, RateLimit, Venue } from '../../venue.ts';
import { TradeApiNormalizer } from './normalize/trade-api-normalizer.ts';
import type { WireProfile } from './profiles/wire-profile.ts';
import { type EndpointCosts, costsOf } from './rest/request-builder.ts';

/** A venue's profile, and what differs from it for one account. */
export interface VenueTerms {
  readonly profile: WireProfile;
  /** Rate limits that replace the profile's. */
  readonly limits?: { readonly read?: RateLimit; readonly trade?: RateLimit };
  readonly costs?: EndpointCosts;
  /** The account's fee rounding over time, which replaces the profile's. */
  readonly feeRounding?: readonly FeeRounding[];
}

/** The parts of a venue that a replay needs. Connects to nothing and signs nothing. */
export function tradeApiReplayParts(
  options: VenueTerms & { readonly tickers: TickerTable },
): Pick<Venue, 'capabilities' | 'tickers' | 'normalizer'> {
  const { profile, tickers } = options;
  return { capabilities: capabilitiesOf(options), tickers, normalizer: new TradeApiNormalizer({ profile, tickers }) };
}

/** The capabilities of a profile's venue, with its account's terms. */
export function capabilitiesOf({
  profile,
  limits,
  costs,
  feeRounding = profile.feeRounding,
}: VenueTerms): Capabilities {
  const { abilities } = profile;
  return {
    canAmend: abilities.canAmend,
    canDecrease: abilities.canDecrease,
    batchMax: abilities.batchMax,
    dedupesClientIds: abilities.dedupesClientIds,
    canPostOnly: abilities.canPostOnly,
    canReduceOnly: abilities.canReduceOnly,
    timeInForce: abilities.timeInForce,
    qtyStep: abilities.qtyStep,
    expiryStep: abilities.expiryStep,
    priceMin: abilities.priceMin,
    priceMax: abilities.priceMax,
    feeRounding,
    canReadFeeChanges: profile.endpoints.seriesFeeChanges !== undefined,
    canReadQueue: profile.endpoints.queuePositions !== undefined,
    limits: { read: limits?.read ?? profile.limits.read, trade: limits?.trade ?? profile.limits.trade },
    cost: costsOf(profile, costs),
    ...(costs && { costs }),
  };
}
