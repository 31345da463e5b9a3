// Finds a profile by the name in a config or tape. Must never load the code of connections: backtests and the threads of
// studies need profiles alone, and start sooner without it.
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import { profileByName, profileNames } from '../../venues/trade-api/profiles/profile-registry.ts';
import { ConfigValueFault } from '../../base/config-value-fault.ts';

/**
 * Returns the profile of a name.
 * @param place Member or option that holds the name, for the message.
 * @throws {ConfigValueFault} when there is no such profile.
 */
export function knownProfile(name: string, place = 'venue.profile'): WireProfile {
  const profile = profileByName(name);
  if (profile) return profile;
  throw new ConfigValueFault({ place, value: name }, `one of ${profileNames().join(', ')}`);
}
