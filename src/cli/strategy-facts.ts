// What a report says of the strategies that ran. Must never say where on this machine their files are.
import { basename } from 'node:path';
import type { RunFacts } from '../report/run-record.ts';

/** The run's name, which is its strategies', and each of them by its file's name. */
export const strategyFacts = (strategies: RunFacts['strategies']): Pick<RunFacts, 'name' | 'strategies'> => ({
  name: strategies.map(({ name }) => name).join(', '),
  strategies: strategies.map(({ name, file, params }) => ({ name, file: basename(file), params })),
});
