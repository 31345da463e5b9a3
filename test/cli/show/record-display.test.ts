// The display of a recording, and its summary at the end.
import { describe, expect, it } from 'vitest';
import { type RecordingFigures, isEmptyRecording } from '../../../src/app/session/recording-run.ts';
import { bytesText } from '../../../src/cli/output/text-format.ts';
import { RecordDisplay, recordEndingText } from '../../../src/cli/show/record-display.ts';
import type { SessionEnd } from '../../../src/runtime/session/live-session.ts';

const FIGURES: RecordingFigures = {
  elapsedMs: 65_000,
  frames: 1200,
  answers: 14,
  keptOut: 0,
  isFeedUp: true,
  feedLosses: 0,
  bookGaps: 0,
  markets: 6,
  liveBooks: 6,
  files: 1,
  bytes: 43_210,
};
const STOPPED: SessionEnd = { type: 'stopped', isReconciled: true, hadAccount: false };
const ending = (figures: Partial<RecordingFigures>, end: SessionEnd = STOPPED): string =>
  recordEndingText({ figures: { ...FIGURES, ...figures }, end, place: '/tapes/a', logFile: '/a.log' }, false);

/** Returns what a display writes over some updates. */
function shown(
  options: { readonly isJson?: boolean; readonly isTTY?: boolean },
  looks: readonly RecordingFigures[],
): string {
  let text = '';
  const left = [...looks];
  const output = { write: (more: string) => void (text += more), writableLength: 0, isTTY: options.isTTY ?? false };
  const display = new RecordDisplay({
    isJson: options.isJson ?? false,
    output,
    readFigures: () => left.shift() ?? FIGURES,
  });
  for (const _ of looks) display.showFigures();
  display.close();
  return text;
}
const later = (frames: number, elapsedMs: number): RecordingFigures => ({ ...FIGURES, frames, elapsedMs });

describe('RecordDisplay', () => {
  it('shows one changing line on a terminal, with the rate since the last update', () => {
    const text = shown({ isTTY: true }, [later(100, 1000), later(350, 2000)]);
    expect(text.split('\r').map((line) => line.replace('\u001b[K', ''))).toEqual([
      '',
      '0:01  100 frames, 100/s  6 markets  43.2 kB  no gaps',
      '0:02  350 frames, 250/s  6 markets  43.2 kB  no gaps',
      '',
    ]);
  });

  it('prints a line every few updates when piped', () => {
    expect(
      shown(
        {},
        Array.from({ length: 25 }, (_, index) => later(index, index * 1000)),
      )
        .trimEnd()
        .split('\n'),
    ).toHaveLength(2);
  });

  it('prints a line of JSON at each update on request', () => {
    const lines = shown({ isJson: true }, [later(100, 1000), later(350, 2000)])
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { type: 'progress', frames: 100, framesPerSecond: 100 },
      { type: 'progress', frames: 350, framesPerSecond: 250 },
    ]);
  });

  it('shows that the feed is down, that books are unknown, and the gaps', () => {
    const text = shown({ isTTY: true }, [{ ...FIGURES, isFeedUp: false, liveBooks: 4, feedLosses: 2, bookGaps: 3 }]);
    expect(text).toContain('6 markets, 4 books known');
    expect(text).toContain('gaps: connection lost 2×, books lost 3×  THE FEED IS DOWN');
  });
});

describe('the summary of a recording', () => {
  it('says what was recorded, and where', () => {
    expect(ending({})).toBe(
      'recorded 1:05, ended whole\n1200 frames and 14 answers of 6 markets, no gaps\n/tapes/a: 43.2 kB in 1 file\n',
    );
    expect(ending({ keptOut: 3, files: 2 })).toContain(
      '3 messages of the account itself were kept out\n/tapes/a: 43.2 kB in 2 files',
    );
  });

  it.each([
    [{ answers: 0, frames: 0, markets: 0 }, STOPPED, 'the venue did not answer'],
    [{ frames: 1, markets: 0 }, STOPPED, 'the venue has none of these markets'],
    [{ frames: 0 }, STOPPED, 'its feed sent nothing'],
    [
      { frames: 0, markets: 0 },
      { type: 'refused', reason: 'the venue refused event NOPE: 404' },
      'the venue refused event NOPE: 404',
    ],
  ] satisfies [Partial<RecordingFigures>, SessionEnd, string][])(
    'says why nothing was recorded: %j',
    (figures, end, why) => {
      expect(isEmptyRecording({ ...FIGURES, ...figures })).toBe(true);
      expect(ending(figures, end)).toMatch(new RegExp(`^NOTHING WAS RECORDED in 1:05: ${why}; the log is /a\\.log\n`));
    },
  );

  it('names a fault in any case', () => {
    const end: SessionEnd = { type: 'fault', fault: new Error('ENOSPC'), ordersLeft: 0 };
    expect(ending({ frames: 0 }, end)).toMatch(/^recorded 1:05, ended by a FAULT: Error: ENOSPC\n/);
    const json = recordEndingText({ figures: FIGURES, end, place: '/tapes/a', logFile: '/a.log' }, true);
    expect(JSON.parse(json)).toMatchObject({
      type: 'end',
      end: { type: 'fault', fault: 'Error: ENOSPC' },
      recording: '/tapes/a',
    });
  });
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [12_345_678, '12.3 MB'],
  [9e12, '9.0 TB'],
])('formats %i bytes as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
