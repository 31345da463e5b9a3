// The first order or denial at which two runs differ, and what differed before it. Must never name a cause that it has not
// seen: a difference before it is a fact, not a proof.
import type { ComparedRun, RunFill, RunStep } from './compared-run.ts';

/** Where two runs part. */
export interface Parting {
  /** Number of equal orders and denials before. */
  readonly index: number;
  /** The next step of each side; `null` when it has no more. */
  readonly first: RunStep | null;
  readonly second: RunStep | null;
  /** False when the denials of a side are unknown, as those of a session: they are not compared. */
  readonly hasDenials: boolean;
  /** Facts that differ until then. */
  readonly before: readonly PartingFact[];
}

/** A difference between two runs. */
export type PartingFact =
  | { readonly type: 'strategy'; readonly first: string; readonly second: string }
  | { readonly type: 'file'; readonly strategy: string; readonly first: string; readonly second: string }
  | {
      readonly type: 'parameter';
      readonly strategy: string;
      readonly name: string;
      readonly first: unknown;
      readonly second: unknown;
    }
  | { readonly type: 'seed'; readonly first: number; readonly second: number }
  | { readonly type: 'fill'; readonly first: RunFill | null; readonly second: RunFill | null }
  | { readonly type: 'denial'; readonly side: 'first' | 'second'; readonly reason: string };

/** How steps and fills are compared. A session's times differ from those of any other run. */
interface Key {
  readonly hasTimes: boolean;
  readonly hasDenials: boolean;
}

/** Returns where two runs part; `null` when they have the same orders and denials. */
export function firstParting(first: ComparedRun, second: ComparedRun): Parting | null {
  const key = {
    hasTimes: first.kind === 'backtest' && second.kind === 'backtest',
    hasDenials: first.hasDenials && second.hasDenials,
  };
  const [own, other] = [stepsOf(first, key), stepsOf(second, key)];
  const index = firstDifference(own, other, (step) => stepText(step, key));
  if (index === null) return null;
  const steps = { first: own[index] ?? null, second: other[index] ?? null };
  return { index, ...steps, hasDenials: key.hasDenials, before: factsBefore({ first, second, key, steps }) };
}

const stepsOf = ({ steps }: ComparedRun, { hasDenials }: Key): readonly RunStep[] =>
  hasDenials ? steps : steps.filter(({ type }) => type === 'order');

/** Reasons are left out: they may name our own orders, whose ids begin with the session or the seed. */
const stepText = ({ type, at, strategy, market, terms, code }: RunStep, { hasTimes }: Key): string =>
  JSON.stringify([type, hasTimes ? at : 0, strategy, market, terms, code]);

const fillText = ({ at, market, side, price, qty }: RunFill, { hasTimes }: Key): string =>
  JSON.stringify([hasTimes ? at : 0, market, side, price, qty]);

function firstDifference<Row>(
  first: readonly Row[],
  second: readonly Row[],
  textOf: (row: Row) => string,
): number | null {
  for (let index = 0; index < Math.max(first.length, second.length); index += 1) {
    const [a, b] = [first[index], second[index]];
    if (a === undefined || b === undefined || textOf(a) !== textOf(b)) return index;
  }
  return null;
}

interface Sides {
  readonly first: ComparedRun;
  readonly second: ComparedRun;
  readonly key: Key;
  readonly steps: { readonly first: RunStep | null; readonly second: RunStep | null };
}

function factsBefore({ first, second, key, steps }: Sides): PartingFact[] {
  return [
    ...denialFacts(steps),
    ...fillFacts({ first, second, key, steps }),
    ...parameterFacts(first, second),
    ...(first.seed === second.seed || !key.hasTimes
      ? []
      : [{ type: 'seed' as const, first: first.seed, second: second.seed }]),
  ];
}

/** Only one side was denied: the other ordered, or did nothing. */
function denialFacts({ first, second }: Sides['steps']): PartingFact[] {
  if (first?.type === 'denial' && second?.type !== 'denial')
    return [{ type: 'denial', side: 'first', reason: first.reason }];
  if (second?.type === 'denial' && first?.type !== 'denial')
    return [{ type: 'denial', side: 'second', reason: second.reason }];
  return [];
}

/** The first fill that differs, when it came no later than the parting. */
function fillFacts({ first, second, key, steps }: Sides): PartingFact[] {
  const index = firstDifference(first.fills, second.fills, (fill) => fillText(fill, key));
  if (index === null) return [];
  const untilFirst = steps.first?.at ?? steps.second?.at ?? 0;
  const untilSecond = steps.second?.at ?? steps.first?.at ?? 0;
  const [own, other] = [first.fills[index] ?? null, second.fills[index] ?? null];
  const isBefore = (own !== null && own.at <= untilFirst) || (other !== null && other.at <= untilSecond);
  return isBefore ? [{ type: 'fill', first: own, second: other }] : [];
}

function parameterFacts(first: ComparedRun, second: ComparedRun): PartingFact[] {
  const names = ({ strategies }: ComparedRun): string => strategies.map(({ name }) => name).join(', ');
  if (names(first) !== names(second)) return [{ type: 'strategy', first: names(first), second: names(second) }];
  return first.strategies.flatMap(({ name: strategy, file, params }, index): PartingFact[] => {
    const others = second.strategies[index];
    const [own, other] = [membersOf(params), membersOf(others?.params)];
    const files: PartingFact[] =
      others === undefined || others.file === file
        ? []
        : [{ type: 'file', strategy, first: file, second: others.file }];
    const parameters = [...new Set([...Object.keys(own), ...Object.keys(other)])]
      .filter((name) => JSON.stringify(own[name]) !== JSON.stringify(other[name]))
      .map((name): PartingFact => ({ type: 'parameter', strategy, name, first: own[name], second: other[name] }));
    return [...files, ...parameters];
  });
}

const membersOf = (params: unknown): Readonly<Record<string, unknown>> =>
  typeof params === 'object' && params !== null ? { ...params } : {};
