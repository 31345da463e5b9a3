// Every profile that ships, by name.
import type { WireProfile } from '../profile.ts';
import { kalshiProfile } from './kalshi.ts';
import { serviceProfile } from './service.ts';

const PROFILES: readonly WireProfile[] = [serviceProfile, kalshiProfile];

/** The names of the profiles that ship. */
export const profileNames = (): readonly string[] => PROFILES.map(({ name }) => name);

/** The profile of a name; `undefined` when none ships under it. */
export const profileNamed = (name: string): WireProfile | undefined =>
  PROFILES.find((profile) => profile.name === name);
