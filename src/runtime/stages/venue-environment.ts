// The environment of the venue in which a config trades. Must never take an address of the venue for an unknown address:
// real money is real, however the venue is reached. Nor may it load the code of strategies: a halt needs this file.
import type { BotConfig } from '../../config/bot-config.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';

/**
 * Returns the environment of the venue in which a config trades. Returns `null` for an exchange that is not the
 * venue's.
 */
export function environmentOf({ environment, url }: BotConfig['venue'], { environments }: WireProfile): string | null {
  if (environment !== undefined) return environment;
  if (url === undefined) return null;
  const found = Object.entries(environments).find(([, { rest }]) => registeredDomain(rest) === registeredDomain(url));
  return found?.[0] ?? null;
}

/** Returns the registered part of a host name, which all hosts of a venue share. */
const registeredDomain = (address: string): string =>
  new URL(address).hostname.replace(/\.$/, '').split('.').slice(-2).join('.');
