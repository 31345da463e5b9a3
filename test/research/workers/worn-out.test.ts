// A thread whose heap grows is worn out. Garbage alone is no growth.
import { describe, expect, it } from 'vitest';
import { HeapWatch } from '../../../src/research/workers/worn-out.ts';

const MB = 1024 * 1024;

/** A heap whose live bytes and garbage a test sets. */
function testHeap() {
  const heap = { live: 0, garbage: 0, collections: 0 };
  const usedBytes = (): number => heap.live + heap.garbage;
  const collect = (): void => {
    heap.garbage = 0;
    heap.collections += 1;
  };
  const watch = new HeapWatch({ usedBytes, collect });
  const afterTrial = (liveMb: number, garbageMb: number): boolean => {
    heap.live = liveMb * MB;
    heap.garbage = garbageMb * MB;
    return watch.isWornOut();
  };
  return { heap, afterTrial };
}

describe('the heap of a thread', () => {
  it.each([
    { firstMb: 80, mostMb: 208, why: 'by 128 MB' },
    { firstMb: 300, mostMb: 600, why: 'to twice its first size' },
  ])('wears the thread out when it grows $why from $firstMb MB', ({ firstMb, mostMb }) => {
    const { afterTrial } = testHeap();
    expect(afterTrial(firstMb, 0)).toBe(false);
    expect(afterTrial(mostMb, 0)).toBe(false);
    expect(afterTrial(mostMb + 1, 0)).toBe(true);
  });

  it('is collected before it counts as grown', () => {
    const { heap, afterTrial } = testHeap();
    expect(afterTrial(60, 40)).toBe(false);
    expect(afterTrial(60, 128)).toBe(false);
    expect(heap.collections).toBe(0);
    expect(afterTrial(60, 500)).toBe(false);
    expect(heap.collections).toBe(1);
    expect(afterTrial(229, 0)).toBe(true);
  });
});
