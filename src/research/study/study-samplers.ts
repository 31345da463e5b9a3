// The samplers and pruners that a study's file may name, with their options. Must never choose another than the named one.
import { assert } from '../../base/assert.ts';
import { configErrorOf } from '../../config/yaml.ts';
import { HalvingPruner } from '../search/pruning/halving-pruner.ts';
import { MedianPruner } from '../search/pruning/median-pruner.ts';
import type { Pruner, Sampler } from '../search/sampler.ts';
import { type SamplerChoice, samplerFor } from '../search/sampler-choice.ts';
import type { NamedOptions, StudyFile } from './study-file.ts';

/** Options of each sampler. */
const SAMPLER_OPTIONS: Readonly<Record<SamplerChoice['kind'], readonly string[]>> = {
  grid: [],
  random: [],
  sobol: [],
  tpe: ['startup', 'candidates'],
  cma: [],
};

function kindOf(name: string): SamplerChoice['kind'] {
  const isKind = (text: string): text is SamplerChoice['kind'] => Object.hasOwn(SAMPLER_OPTIONS, text);
  assert(isKind(name), `expected a sampler, found ${name}`);
  return name;
}

/** Event groups of the first rung, where the study names none. */
const ASHA_MIN = 3;

/** Options of each pruner. */
const PRUNER_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  median: ['startup', 'warmup'],
  asha: ['min', 'reduction'],
};

/**
 * Makes the sampler of a study.
 * @throws {ConfigError} when the study names an unknown one, or an option that it does not have, the space has a fault,
 *   or this sampler cannot search it.
 */
export function samplerOf({ file, space, sampler: { name, options }, seed }: StudyFile): Sampler {
  refuseUnknown({ file, member: 'sampler', name, options, known: SAMPLER_OPTIONS });
  return madeBy({ file, member: 'sampler' }, () => samplerFor({ kind: kindOf(name), ...options }, space, seed));
}

/**
 * Makes the pruner of a study; `null` when it has none.
 * @throws {ConfigError} when the study names an unknown one, or an option that it does not have or that makes no sense.
 */
export function prunerOf({ file, pruner }: Pick<StudyFile, 'file' | 'pruner'>): Pruner | null {
  if (pruner === null) return null;
  const { name, options } = pruner;
  refuseUnknown({ file, member: 'pruner', name, options, known: PRUNER_OPTIONS });
  const { min = ASHA_MIN } = options;
  return madeBy({ file, member: 'pruner' }, () =>
    name === 'median' ? new MedianPruner(options) : new HalvingPruner({ ...options, min }),
  );
}

interface NamedChoice extends NamedOptions {
  readonly file: string;
  readonly member: 'sampler' | 'pruner';
  readonly known: Readonly<Record<string, readonly string[]>>;
}

/** @throws {ConfigError} for an unknown name or option. */
function refuseUnknown({ file, member, name, options, known }: NamedChoice): void {
  const allowed = Object.hasOwn(known, name) ? (known[name] ?? []) : null;
  if (allowed === null) {
    const message = `one of ${Object.keys(known).join(', ')}`;
    throw configErrorOf(file, [{ code: 'custom', path: [member], message, input: name }]);
  }
  const wrong = Object.keys(options).find((option) => !allowed.includes(option));
  if (wrong === undefined) return;
  const message = allowed.length === 0 ? 'no option' : `one of ${allowed.join(', ')}`;
  throw configErrorOf(file, [{ code: 'custom', path: [member, name, wrong], message, input: wrong }]);
}

function madeBy<Made>({ file, member }: Pick<NamedChoice, 'file' | 'member'>, make: () => Made): Made {
  try {
    return make();
  } catch (fault) {
    if (!(fault instanceof RangeError)) throw fault;
    const lines = fault.message.split('\n');
    throw configErrorOf(
      file,
      lines.map((line) => issueOf(line, member)),
    );
  }
}

/** A fault of the space or of an option, from its line: place, what was expected, and what was found. */
function issueOf(line: string, member: NamedChoice['member']): Parameters<typeof configErrorOf>[1][number] {
  const [, place = '', expected = line, found] = /^(\S+): expected (.*?)(?:, found (.*))?$/.exec(line) ?? [];
  const path = place.split('.');
  const isOfSpace = path[0] === 'space';
  return { code: 'custom', path: isOfSpace ? path : [member, ...path], message: expected, input: found };
}
