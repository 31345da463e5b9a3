// What a report says of the strategies that ran. Must never say where on this machine their files are.
import { basename } from 'node:path';
import type { RunFacts } from '../../report/record/run-record.ts';

/** The run's name, which is its strategies', and each of them by its file's name. */
export const strategyFacts = (strategies: RunFacts['strategies']): Pick<RunFacts, 'name' | 'strategies'> => ({
  name: strategies.map(({ name }) => name).join(', '),
  strategies: strategies.map(({ name, file, params }) => ({ name, file: basename(file), params: shortened(params) })),
});

/** Longer texts are told by their length alone: they are whole files. */
const TEXT_LENGTH_MAX = 200;

/** Parameters without what nobody could read. */
function shortened(params: unknown): unknown {
  if (typeof params !== 'object' || params === null) return params;
  const short = (value: unknown): unknown =>
    typeof value === 'string' && value.length > TEXT_LENGTH_MAX ? `(a text of ${value.length} characters)` : value;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, short(value)]));
}
