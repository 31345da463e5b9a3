// All built-in profiles, by name.
import type { WireProfile } from './wire-profile.ts';
import { kalshiProfile } from './kalshi-profile.ts';
import { serviceProfile } from './service-profile.ts';

const PROFILES: readonly WireProfile[] = [serviceProfile, kalshiProfile];

/** The names of the built-in profiles. */
export const profileNames = (): readonly string[] => PROFILES.map(({ name }) => name);

/** The built-in profile with that name; `undefined` when there is none. */
export const profileByName = (name: string): WireProfile | undefined =>
  PROFILES.find((profile) => profile.name === name);
