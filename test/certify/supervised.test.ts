// The process that certifies: one that hangs or dies has failed the check that it was at, and whoever waits is told.
import { describe, expect, it } from 'vitest';
import type { Job } from '../../src/certify/job.ts';
import { isCertified, scoreCardText } from '../../src/certify/score-card.ts';
import { supervise } from '../../src/certify/supervised.ts';

const job: Job = { place: '/x.ts', params: {}, folder: '/', seed: 7, effort: 'quick', only: ['time'] };

/** A process that takes the job, says that it is at a check, and then does something. */
const doing = (what: string, only: Job['only'] = job.only) =>
  supervise({
    job: { ...job, only },
    command: [
      process.execPath,
      '-e',
      `process.once('message', (job) => process.send({ type: 'check', name: job.only[0] }, () => { ${what} }))`,
    ],
    checkMsMax: 2000,
  });

describe('a process that certifies a strategy', () => {
  it('is ended when it does not come back, and the check that it was at has failed', async () => {
    const end = await doing('for (;;);');
    expect(end.verdicts).toMatchObject([{ check: 'time', isPassed: false }]);
    expect(end.verdicts[0]?.words).toMatch(/^it did not come back within 2 s/);
    const card = { ...end, ...job, strategy: 'x', seen: null };
    expect(isCertified(card)).toBe(false);
    const lines = scoreCardText(card, 80);
    expect(lines.at(-1)).toBe('NOT certified: 1 of 1 checks failed');
    expect(lines).toContain('time: again: --check time --seed 7 --effort quick');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('has failed the check that it was at when it ends by itself', async () => {
    const end = await doing('process.exit(134)');
    expect(end.verdicts).toMatchObject([{ check: 'time', isPassed: false }]);
    expect(end.verdicts[0]?.words).toContain('ended by itself (code 134)');
  });

  it('is followed by another for the checks that are left, and no third', async () => {
    const end = await doing('process.exit(134)', ['time', 'markets', 'loads']);
    expect(end.verdicts.map(({ check }) => check)).toEqual(['time']);
    const begun = await doing('process.exit(134)', ['restart', 'markets', 'time', 'memory']);
    expect(begun.verdicts.map(({ check }) => check)).toEqual(['restart', 'markets']);
  });

  it('tells what it was refused with', async () => {
    const end = await doing(
      `process.send({ type: 'refused', isUsers: true, message: 'no such file' }, () => process.exit(0))`,
    );
    expect(end.refused).toMatchObject({ isUsers: true, message: 'no such file' });
    expect(end.verdicts).toEqual([]);
  });
});
