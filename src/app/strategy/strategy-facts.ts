// Facts about the strategies of a report. Must never include paths of this machine.
import { basename } from 'node:path';
import type { RunFacts } from '../../report/record/run-record.ts';

/** Returns the run's name, made from its strategies' names, and each strategy with the name of its file. */
export const strategyFacts = (strategies: RunFacts['strategies']): Pick<RunFacts, 'name' | 'strategies'> => ({
  name: strategies.map(({ name }) => name).join(', '),
  strategies: strategies.map(({ name, file, params }) => ({ name, file: basename(file), params: shortened(params) })),
});

/** A longer text is taken for the contents of a file. Characters. */
const TEXT_LENGTH_MAX = 200;

function shortened(params: unknown): unknown {
  if (typeof params !== 'object' || params === null) return params;
  const short = (value: unknown): unknown =>
    typeof value === 'string' && value.length > TEXT_LENGTH_MAX ? `(a text of ${value.length} characters)` : value;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, short(value)]));
}
