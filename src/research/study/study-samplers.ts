// The samplers of studies by name. Must never pass one generator along between trials: each trial draws from its own.
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { configErrorOf } from '../../config/yaml.ts';
import type { Sampler } from '../search/sampler.ts';
import type { Domain, SearchSpace } from '../search/search-space.ts';
import type { ParamValue, TrialParams } from '../trial/study-trial.ts';
import type { StudyFile } from './study-file.ts';

const SAMPLERS: Readonly<Record<string, (space: SearchSpace, seed: number) => Sampler>> = {
  random: (space, seed) => ({ propose: ({ n }) => drawnParams(space, seed, n) }),
};

/** Names of the samplers. */
export const SAMPLER_NAMES: readonly string[] = Object.keys(SAMPLERS);

/**
 * Makes the sampler of a study.
 * @throws {ConfigError} when the study names an unknown one.
 */
export function samplerOf({ file, space, sampler, seed }: StudyFile): Sampler {
  const make = Object.hasOwn(SAMPLERS, sampler.name) ? SAMPLERS[sampler.name] : undefined;
  if (make !== undefined) return make(space, seed);
  const message = `one of ${SAMPLER_NAMES.join(', ')}`;
  throw configErrorOf(file, [{ code: 'custom', path: ['sampler'], message, input: sampler.name }]);
}

/** Mixes seed and number into the seed of the trial's own generator (Steele, Lea and Flood, 2014: SplitMix). */
function trialSeed(seed: number, n: number): number {
  let mixed = Math.imul(seed ^ (n * 0x9e37_79b9), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}

function drawnParams(space: SearchSpace, seed: number, n: number): TrialParams {
  const random = xoroshiro128plus(trialSeed(seed, n));
  const drawn: Record<string, ParamValue> = {};
  for (const { name, domain, when = {} } of space) {
    const share = uniformFloat64(random);
    if (Object.entries(when).every(([other, value]) => drawn[other] === value)) drawn[name] = valueAt(domain, share);
  }
  return drawn;
}

/** The value at a share, from 0 to 1, of a domain's scale. */
function valueAt(domain: Domain, share: number): ParamValue {
  if (domain.kind === 'choice') {
    const option = domain.options[Math.floor(share * domain.options.length)];
    if (option === undefined) throw new RangeError('expected a choice with an option');
    return option;
  }
  const { kind, low, high, log = false } = domain;
  const step = domain.step ?? (kind === 'int' ? 1 : null);
  if (step === null) return log ? low * (high / low) ** share : low + share * (high - low);
  const steps = Math.floor((high - low) / step + 1e-9);
  const place = log ? (low * ((high + step) / low) ** share - low) / step : share * (steps + 1);
  return Number((low + Math.min(steps, Math.floor(place)) * step).toPrecision(15));
}
