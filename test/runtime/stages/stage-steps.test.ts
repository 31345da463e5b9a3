// The saved steps of the go-live stages: a line that was cut short never refuses a later start, and never counts as good.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StageStep } from '../../../src/runtime/stages/go-live-stages.ts';
import { STAGES_FILE, StagesFileFault, appendStep, readSteps } from '../../../src/runtime/stages/stage-steps.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';

const first: StageStep = {
  rung: 'doctor',
  atMs: 1_800_000_000_000,
  world: 'production',
  strategies: 'these',
  config: 'c',
  isGood: true,
  elapsedMs: 0,
  words: 'nothing is wrong',
};
const second: StageStep = { ...first, rung: 'smallest', words: 'alarm feed-silent ×1', isGood: false };
const third: StageStep = { ...first, rung: 'replay' };

/** A file of two steps, whose last line has only its first bytes. */
function cutAfter(bytes: number) {
  const disk = new MemoryDisk();
  const storage = disk.open();
  appendStep(storage, first);
  appendStep(storage, second);
  disk.tearLastWrite(bytes);
  return storage;
}

const lineBytes = Buffer.byteLength(`${JSON.stringify(second)}\n`);
const namesBytes = JSON.stringify(second).indexOf(',"config"');

describe('a last line that was cut short', () => {
  it('stands for a failed step of its stage and strategies, for nothing before it names them, and for itself when whole', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: lineBytes }), (kept) => {
        const steps = readSteps(cutAfter(kept));
        expect(steps[0]).toEqual(first);
        if (kept < namesBytes) expect(steps).toHaveLength(1);
        else if (kept >= lineBytes - 1) expect(steps).toEqual([first, second]);
        else
          expect(steps.slice(1)).toEqual([
            {
              ...second,
              config: '',
              words: 'its outcome was not saved in full',
            },
          ]);
      }),
    );
  });

  it('is replaced by the step that it stands for when the next step is saved', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: lineBytes }), (kept) => {
        const storage = cutAfter(kept);
        const steps = readSteps(storage);
        appendStep(storage, third);
        expect(readSteps(storage)).toEqual([...steps, third]);
      }),
    );
  });
});

it('a line before the last that is no step is refused with its place', () => {
  const disk = new MemoryDisk();
  const storage = disk.open();
  appendStep(storage, first);
  disk.write(STAGES_FILE, Buffer.concat([Buffer.from('{"rung":"doc\n'), disk.read(STAGES_FILE)]));
  expect(() => readSteps(storage)).toThrow(StagesFileFault);
  expect(() => readSteps(storage)).toThrow('ladder.jsonl:1: expected a step');
});
