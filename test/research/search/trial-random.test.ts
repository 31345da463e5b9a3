// The random numbers of a trial, and the hash that they begin with.
import { describe, expect, it } from 'vitest';
import { RandomSampler } from '../../../src/research/search/random-sampler.ts';
import { hashWords, trialDraws } from '../../../src/research/search/trial-random.ts';

describe('the hash of words', () => {
  // Published vectors of MurmurHash3_x86_32 with seed 0: the empty text, and "test" as a word.
  it.each([
    [[], 0],
    [[0x74736574], 0xba6bd213],
  ])('of %j is %i', (words, hash) => {
    expect(hashWords(words)).toBe(hash);
  });
});

describe('the draws of a trial', () => {
  it('depend on the seed and the number alone', () => {
    const first = trialDraws(7, 3);
    const numbers = [first(), first(), first()];
    const again = trialDraws(7, 3);
    expect([again(), again(), again()]).toEqual(numbers);
    expect(trialDraws(7, 4)()).not.toBe(numbers[0]);
    expect(trialDraws(8, 3)()).not.toBe(numbers[0]);
    expect(trialDraws(7 + 2 ** 32, 3)()).not.toBe(numbers[0]);
  });

  it('are uniform over the trials of a study', () => {
    const firsts = Array.from({ length: 4000 }, (_, n) => trialDraws(1, n)());
    const counts = Array.from({ length: 10 }, (_, k) => firsts.filter((u) => Math.floor(u * 10) === k).length);
    const chiSquare = counts.reduce((sum, count) => sum + (count - 400) ** 2 / 400, 0);
    // The 99.9th percentile with 9 degrees of freedom.
    expect(chiSquare).toBeLessThan(27.88);
  });
});

describe('a random search', () => {
  it('gives a conditional parameter only where it applies', () => {
    const sampler = new RandomSampler(
      [
        { name: 'mode', domain: { kind: 'choice', options: ['a', 'b'] } },
        { name: 'x', domain: { kind: 'int', low: 1, high: 3 }, when: { mode: 'b' } },
      ],
      1,
    );
    const drawn = Array.from({ length: 200 }, (_, n) => sampler.propose({ n }));
    expect(drawn.every((params) => 'x' in params === (params['mode'] === 'b'))).toBe(true);
    expect(new Set(drawn.map((params) => params['x'])).size).toBe(4);
  });
});
