// All built-in profiles, by name.
import type { WireProfile } from '../profile.ts';
import { kalshiProfile } from './kalshi.ts';
import { serviceProfile } from './service.ts';

const PROFILES: readonly WireProfile[] = [serviceProfile, kalshiProfile];

/** The names of the built-in profiles. */
export const profileNames = (): readonly string[] => PROFILES.map(({ name }) => name);

/** The built-in profile with that name; `undefined` when there is none. */
export const profileNamed = (name: string): WireProfile | undefined =>
  PROFILES.find((profile) => profile.name === name);
