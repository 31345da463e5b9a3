// Shows how far the replay of a why question is: on a terminal, one line that is replaced, and nothing elsewhere.
import type { WhyProgress } from '../../why/replayed-facts.ts';
import { rawStream } from '../output/terminal-escapes.ts';

/** Shows progress. */
export interface WhyProgressDisplay {
  readonly show: (progress: WhyProgress) => void;
  readonly clear: () => void;
}

const CLEAR = '\r\u001B[K';

/** Creates the display on an error output. */
export function whyProgress(stream: NodeJS.WriteStream): WhyProgressDisplay {
  const output = rawStream(stream);
  const startedAt = performance.now();
  let isShown = false;
  return {
    show: ({ inputs, atUs, fromUs, toUs }) => {
      if (!stream.isTTY) return;
      isShown = true;
      const share =
        toUs === null || toUs <= fromUs
          ? ''
          : `, ${Math.min(100, Math.floor((100 * (atUs - fromUs)) / (toUs - fromUs)))} %`;
      const rate = Math.round((1000 * inputs) / (performance.now() - startedAt));
      output.write(
        `${CLEAR}replaying: ${new Date(atUs / 1000).toISOString()}, ${inputs} inputs, ${rate} a second${share}`,
      );
    },
    clear: () => {
      if (isShown) output.write(CLEAR);
      isShown = false;
    },
  };
}
