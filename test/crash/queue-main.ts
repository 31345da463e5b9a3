// `npm run crash:queue`: kills the study, its workers and their Redis server at random moments, and compares the study's table
// with that of an undisturbed run.
import { parseArgs } from 'node:util';
import { REDIS_MISSING } from '../support/queue/redis-server.ts';
import { runQueueStorm } from './queue-storm.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    trials: { type: 'string', default: '400' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`npm run crash:queue -- [--kills 50] [--trials 400] [--seed 1] [--json]

Runs a study on a queue with two workers, and kills one of its processes with SIGKILL every few seconds: the study, a worker, or
Redis, which comes back with its files or without any. The table of the study must then equal that of an undisturbed run, row
by row. Needs redis-server. About four seconds for each kill.

Exit code: 0 the tables are equal; 1 they differ, or the study ended before the last kill; 2 the command is wrong, or there is no redis-server.`);
  process.exit(0);
}

function whole(name: 'kills' | 'trials' | 'seed'): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= 1 && number <= 100_000) return number;
  console.error(`crash:queue: --${name}: expected a whole number from 1 to 100000, found ${values[name]}`);
  process.exit(2);
}

if (REDIS_MISSING !== null) {
  console.error(`crash:queue: ${REDIS_MISSING}`);
  process.exit(2);
}
const kills = whole('kills');
const result = await runQueueStorm({
  kills,
  trials: whole('trials'),
  seed: whole('seed'),
  onKill: (count, victim) => process.stderr.write(`kill ${count}/${kills}: ${victim}\n`),
});
const killed = Object.values(result.kills).reduce((sum, count) => sum + count, 0);
if (values.json) console.log(JSON.stringify({ type: 'queue-storm', ...result, killed }));
else
  console.log(
    [
      `${killed} kills: ${Object.entries(result.kills)
        .map(([name, count]) => `${name} ${count}`)
        .join(', ')}`,
      result.differences.length === 0 ? `${result.trials} trials, all as undisturbed` : result.differences.join('\n'),
    ].join('\n'),
  );
process.exit(result.differences.length === 0 && killed === kills ? 0 : 1);
