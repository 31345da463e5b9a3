// The progress of a why question: the terminal obeys its control characters, although the program escapes all other output.
import { describe, expect, it } from 'vitest';
import { escapeOutput } from '../../../src/cli/output/terminal-escapes.ts';
import { whyProgress } from '../../../src/cli/show/why-progress.ts';

/** Returns what reaches the terminal, or the pipe. */
function written(isTTY: boolean): string {
  let text = '';
  const stream = { isTTY, write: (part: string) => (text += part) !== '' } as unknown as NodeJS.WriteStream;
  escapeOutput(stream);
  const progress = whyProgress(stream);
  progress.show({ inputs: 20_000, atUs: 1_500_000, fromUs: 1_000_000, toUs: 2_000_000 });
  progress.clear();
  progress.clear();
  return text;
}

describe('the progress of a why question', () => {
  it('replaces one line of a terminal, and clears it once', () => {
    expect(written(true)).toMatch(
      // oxlint-disable-next-line no-control-regex
      /^\r\u001b\[Kreplaying: 1970-01-01T00:00:01\.500Z, 20000 inputs, \d+ a second, 50 %\r\u001b\[K$/,
    );
  });

  it('prints nothing in a pipe', () => {
    expect(written(false)).toBe('');
  });
});
