// Every scenario, by the file that holds it. A run loads its own file alone: what the others need would count as its
// memory.
import type { Scenario } from '../scenario.ts';

const FILES: Readonly<Record<string, () => Promise<Readonly<Record<string, unknown>>>>> = {
  books: () => import('./books.ts'),
  engine: () => import('./engine.ts'),
  backtest: () => import('./backtest.ts'),
  'real-work': () => import('./real-work.ts'),
  idle: () => import('./idle.ts'),
  'live-hour': () => import('./live-hour.ts'),
  feed: () => import('./feed.ts'),
  bake: () => import('./bake.ts'),
  'ticks-bare': () => import('./ticks-bare.ts'),
  'ticks-naive': () => import('./ticks-naive.ts'),
  ticks: () => import('./ticks.ts'),
  'ticks-followed': () => import('./ticks-followed.ts'),
  'ticks-crowded': () => import('./ticks-crowded.ts'),
  studies: () => import('./studies.ts'),
  why: () => import('./why.ts'),
  'journal-replay': () => import('./journal-replay.ts'),
  certify: () => import('./certify.ts'),
  exchange: () => import('./exchange.ts'),
  'exchange-feed': () => import('./exchange-feed.ts'),
  signatures: () => import('./signatures.ts'),
};

/** A scenario and the name of its file. */
export interface FiledScenario {
  readonly file: string;
  readonly scenario: Scenario;
}

/** Loads every scenario. */
export async function loadScenarios(): Promise<FiledScenario[]> {
  const found: FiledScenario[] = [];
  for (const file of Object.keys(FILES)) for (const scenario of await scenariosIn(file)) found.push({ file, scenario });
  return found;
}

/** Loads the scenarios of one file. */
export async function scenariosIn(file: string): Promise<Scenario[]> {
  const load = FILES[file];
  if (load === undefined) throw new Error(`no file of scenarios is called ${file}`);
  return Object.values(await load())
    .flat()
    .filter(isScenario);
}

const isScenario = (value: unknown): value is Scenario =>
  typeof value === 'object' && value !== null && 'run' in value && 'what' in value;
