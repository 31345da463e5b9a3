// The certifying process: one that hangs or dies fails the check that it was running, and the caller gets the result.
import { describe, expect, it } from 'vitest';
import type { CertifyJob } from '../../src/certify/certify-job.ts';
import { paramFlags } from '../../src/cli/certify-command.ts';
import { isCertified, scoreCardText } from '../../src/certify/score-card.ts';
import { superviseJob } from '../../src/certify/certify-supervisor.ts';

const job: CertifyJob = { place: '/x.ts', params: {}, folder: '/', seed: 7, effort: 'quick', only: ['time'] };

/** A process that receives the job, reports a check, and then runs `body`. */
const superviseProcess = (body: string, only: CertifyJob['only'] = job.only) =>
  superviseJob({
    job: { ...job, only },
    command: [
      process.execPath,
      '-e',
      `process.once('message', (job) => process.send({ type: 'check', name: job.only[0] }, () => { ${body} }))`,
    ],
    checkMsMax: 2000,
  });

describe('a process that certifies a strategy', () => {
  it('is ended when it does not return, and its running check has failed', async () => {
    const end = await superviseProcess('for (;;);');
    expect(end.verdicts).toMatchObject([{ check: 'time', isPassed: false }]);
    expect(end.verdicts[0]?.words).toMatch(/^it did not return within 2 s/);
    const card = { ...end, ...job, strategy: 'x', seen: null, paramFlags: [] };
    expect(isCertified(card)).toBe(false);
    const lines = scoreCardText(card, 80);
    expect(lines.at(-1)).toBe('NOT certified: 1 of 1 checks failed');
    expect(lines).toContain('time: again: --check time --seed 7 --effort quick');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    const flags = paramFlags({ params: 'my params.yaml', param: ['qtyContracts=10', 'title=a b'] });
    expect(scoreCardText({ ...card, paramFlags: flags }, 80)).toContain(
      "time: again: --params 'my params.yaml' --param qtyContracts=10 --param 'title=a b' --check time --seed 7 --effort quick",
    );
  });

  it('has all the time it needs while it reports runs', async () => {
    const verdict = `{ check: 'time', isPassed: true, words: 'fast', remedy: null, stream: null }`;
    const end = await superviseProcess(`
      let runs = 0;
      const timer = setInterval(() => {
        process.send({ type: 'run' });
        if ((runs += 1) < 6) return;
        clearInterval(timer);
        process.send({ type: 'verdict', verdict: ${verdict}, elapsedMs: 3000 });
        process.send({ type: 'done', strategy: 'x', seen: null }, () => process.exit(0));
      }, 500)`);
    expect(end.verdicts).toMatchObject([{ check: 'time', isPassed: true }]);
    expect(end.done).not.toBeNull();
  });

  it('fails its running check when it ends by itself', async () => {
    const end = await superviseProcess('process.exit(134)');
    expect(end.verdicts).toMatchObject([{ check: 'time', isPassed: false }]);
    expect(end.verdicts[0]?.words).toContain('ended by itself (code 134)');
  });

  it('is followed by another one for the remaining checks, and by no third', async () => {
    const end = await superviseProcess('process.exit(134)', ['time', 'markets', 'loads']);
    expect(end.verdicts.map(({ check }) => check)).toEqual(['time']);
    const begun = await superviseProcess('process.exit(134)', ['restart', 'markets', 'time', 'memory']);
    expect(begun.verdicts.map(({ check }) => check)).toEqual(['restart', 'markets']);
  });

  it('reports why it was refused', async () => {
    const end = await superviseProcess(
      `process.send({ type: 'refused', isUsers: true, message: 'no such file' }, () => process.exit(0))`,
    );
    expect(end.refused).toMatchObject({ isUsers: true, message: 'no such file' });
    expect(end.verdicts).toEqual([]);
  });
});
