// A study on a queue keeps its table while its processes are killed. `npm run crash:queue` does it fifty times.
import { describe, expect, it } from 'vitest';
import { REDIS_MISSING } from '../support/queue/redis-server.ts';
import { runQueueStorm } from './queue-storm.ts';

const KILLS = 3;

describe.skipIf(REDIS_MISSING !== null)(
  `a study whose processes are killed${REDIS_MISSING === null ? '' : `: ${REDIS_MISSING}`}`,
  () => {
    it('has the table of an undisturbed run, row by row', async () => {
      const { differences, trials } = await runQueueStorm({ kills: KILLS, seed: 5, trials: 24 });
      expect(differences).toEqual([]);
      expect(trials).toBe(24);
    });
  },
);
