// Every scenario, by room.
import type { Scenario } from '../scenario.ts';
import { bareLoop, bookMemory, books } from './books.ts';
import { engineSteps } from './engine.ts';
import { signP256, signPlatform, signPlatformPem, signSecp256k1 } from './signatures.ts';

export const scenarios: readonly Scenario[] = [
  bareLoop,
  books,
  bookMemory,
  engineSteps,
  signP256,
  signSecp256k1,
  signPlatform,
  signPlatformPem,
];
