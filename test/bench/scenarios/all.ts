// Every scenario, by room.
import type { Scenario } from '../scenario.ts';
import { bareLoop, bookMemory, books } from './books.ts';

export const scenarios: readonly Scenario[] = [bareLoop, books, bookMemory];
