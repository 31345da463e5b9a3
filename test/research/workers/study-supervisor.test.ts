// The process that runs a study ends with its supervisor, also when it hears no signal.
import { describe, expect, it } from 'vitest';
import { superviseStudy } from '../../../src/research/workers/study-supervisor.ts';

const job = { file: 'study.yaml', workers: 1, heapMb: 16, json: false, queue: null };
const command = (script: string) => [process.execPath, '-e', script] as const;

describe('the supervisor of a study', () => {
  it('kills a process that is deaf to its signal', async () => {
    const abort = new AbortController();
    // It is stopped as a process that a file system blocks: no handler of a signal can run.
    const deaf = `process.on('message', () => process.kill(process.pid, 'SIGSTOP'));`;
    const code = superviseStudy({ job, command: command(deaf), signal: abort.signal, stopMs: 100 });
    abort.abort();
    expect(await code).toBe(1);
  });

  it('gives up, with advice, when process after process dies before a trial ends', async () => {
    const restarts: string[] = [];
    const code = superviseStudy({
      job,
      command: command('process.exit(134)'),
      signal: new AbortController().signal,
      onRestart: (why) => restarts.push(why),
    });
    await expect(code).rejects.toThrow(/^--heap, --workers: expected processes that end a trial, found 10 in a row/);
    expect(new Set(restarts)).toEqual(new Set(['it ran out of memory']));
  });
});
