// The progress of a certification on a terminal and in a pipe.
import { describe, expect, it } from 'vitest';
import type { WorkerMessage } from '../../../src/certify/certify-job.ts';
import { certifyProgress } from '../../../src/cli/show/certify-progress.ts';

const TOLD: readonly WorkerMessage[] = [
  { type: 'check', name: 'loads' },
  {
    type: 'verdict',
    verdict: { check: 'loads', isPassed: true, words: '', remedy: null, stream: null },
    elapsedMs: 1234,
  },
  { type: 'check', name: 'restart' },
  {
    type: 'verdict',
    verdict: { check: 'restart', isPassed: false, words: 'it differs', remedy: null, stream: null },
    elapsedMs: 61_000,
  },
  { type: 'done', strategy: 'quoter', seen: null },
];

/** Returns what is written. */
function written(isTTY: boolean): string {
  let text = '';
  const progress = certifyProgress({ isTTY, write: (part) => (text += part) }, 2);
  for (const told of TOLD) progress.onMessage(told);
  progress.close();
  return text;
}

describe('the progress of a certification', () => {
  it('prints a line for each check and its verdict in a pipe', () => {
    expect(written(false).split('\n')).toEqual([
      'checking loads (1 of 2)',
      'loads: passed in 1.2 s',
      'checking restart (2 of 2)',
      'restart: FAILED in 61.0 s',
      '',
    ]);
  });

  it('shows one line that is replaced, and cleared at the end, on a terminal', () => {
    expect(written(true)).toBe('\r\u001B[Kchecking loads…\r\u001B[Kchecking restart…\r\u001B[K');
  });
});
