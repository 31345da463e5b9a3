// The samplers that a study's file may name, with their options. Must never choose another than the named one.
import { UsageError } from '../../app/usage-error.ts';
import { configErrorOf } from '../../config/yaml.ts';
import type { Sampler } from '../search/sampler.ts';
import { type SamplerChoice, samplerFor } from '../search/sampler-choice.ts';
import type { StudyFile } from './study-file.ts';

/** Options of each sampler. */
const OPTIONS: Readonly<Record<SamplerChoice['kind'], readonly string[]>> = {
  grid: [],
  random: [],
  sobol: [],
  tpe: ['startup', 'candidates'],
  cma: [],
};

const isKind = (name: string): name is SamplerChoice['kind'] => Object.hasOwn(OPTIONS, name);

/**
 * Makes the sampler of a study.
 * @throws {ConfigError} when the study names an unknown one, or an option that it does not have.
 * @throws {UsageError} when the space has a fault, or cannot be searched by this sampler.
 */
export function samplerOf({ file, space, sampler: { name, options }, seed }: StudyFile): Sampler {
  if (!isKind(name)) {
    const message = `one of ${Object.keys(OPTIONS).join(', ')}`;
    throw configErrorOf(file, [{ code: 'custom', path: ['sampler'], message, input: name }]);
  }
  const wrong = Object.keys(options).find((option) => !OPTIONS[name].includes(option));
  if (wrong !== undefined) {
    const message = OPTIONS[name].length === 0 ? 'no option' : `one of ${OPTIONS[name].join(', ')}`;
    throw configErrorOf(file, [{ code: 'custom', path: ['sampler', name, wrong], message, input: wrong }]);
  }
  try {
    return samplerFor({ kind: name, ...options }, space, seed);
  } catch (fault) {
    if (fault instanceof RangeError) throw new UsageError(`${file}: ${fault.message}`, { cause: fault });
    throw fault;
  }
}
