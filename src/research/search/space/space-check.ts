// Checks a space before a study: ranges, steps, logarithms, and conditions on earlier parameters. Must never pass a space from
// which a sampler cannot draw.
import type { ParamValue } from '../../trial/study-trial.ts';
import type { Choice, Domain, SearchSpace, SpaceParam } from '../search-space.ts';
import { type NumericRange, countValues, nearestValue, stepOf } from './param-values.ts';
import { fullConditions } from './space-conditions.ts';

/** Steps that a range may miss its upper end by: the error of decimal fractions. */
const STEP_ERROR = 1e-6;

/** Returns every fault of a space, each with its place, what was expected and what was found. Empty for a good one. */
export function spaceFaults(space: SearchSpace): readonly string[] {
  if (space.length === 0) return ['space: expected one parameter or more, found none'];
  const faults = space.flatMap((param, i) => [
    ...nameFaults(param, space.slice(0, i)),
    ...domainFaults(param.domain).map((fault) => `space.${param.name}: ${fault}`),
    ...conditionFaults(param, space.slice(0, i)),
  ]);
  return faults.length > 0 ? faults : contradictions(space);
}

/**
 * Checks a space.
 * @throws RangeError with every fault of the space.
 */
export function checkSpace(space: SearchSpace): void {
  const faults = spaceFaults(space);
  if (faults.length > 0) throw new RangeError(faults.join('\n'));
}

function nameFaults({ name }: SpaceParam, earlier: SearchSpace): string[] {
  if (name === '') return ['space: expected a name, found an empty one'];
  return earlier.some((each) => each.name === name) ? [`space.${name}: expected each name once, found it twice`] : [];
}

const domainFaults = (domain: Domain): string[] =>
  domain.kind === 'choice' ? choiceFaults(domain) : [rangeFault(domain)].flatMap((fault) => fault ?? []);

function choiceFaults({ options }: Choice): string[] {
  if (options.length < 2)
    return [`expected two options or more, found ${options.length}; a fixed value is no parameter`];
  const twice = options.find((option, i) => options.indexOf(option) < i);
  return twice === undefined ? [] : [`expected each option once, found ${JSON.stringify(twice)} twice`];
}

/** Returns the first fault of a range. */
function rangeFault(range: NumericRange): string | null {
  const { kind, low, high } = range;
  const isNumber = kind === 'int' ? Number.isSafeInteger : Number.isFinite;
  const wanted = kind === 'int' ? 'whole numbers' : 'numbers';
  if (![low, high].every(isNumber)) return `expected ${wanted} as ends, found ${low} and ${high}`;
  if (low >= high) return `expected the low end below the high one, found ${low} and ${high}`;
  if (!Number.isFinite(high - low)) return `expected ends within ${Number.MAX_VALUE}, found ${low} and ${high}`;
  return range.step === undefined ? logFault(range) : (stepFault(range, range.step) ?? logFault(range));
}

function stepFault({ kind, low, high }: NumericRange, step: number): string | null {
  const isStep = step > 0 && (kind === 'int' ? Number.isSafeInteger(step) : Number.isFinite(step));
  if (!isStep) return `expected a ${kind === 'int' ? 'whole ' : ''}step above 0, found ${step}`;
  const steps = (high - low) / step;
  const misses = Math.abs(steps - Math.round(steps)) > STEP_ERROR || Math.round(steps) < 1;
  return misses
    ? `expected whole steps of ${step} from ${low} to ${high}, found ${Number(steps.toPrecision(3))} steps`
    : null;
}

function logFault(range: NumericRange): string | null {
  if (range.log !== true) return null;
  if (range.low <= 0) return `expected a low end above 0 with log, found ${range.low}`;
  const allowed = range.kind === 'int' ? 1 : null;
  if (stepOf(range) === allowed) return null;
  return `expected ${allowed === null ? 'no step' : 'a step of 1'} with log, found ${stepOf(range)}`;
}

function conditionFaults({ name, when = {} }: SpaceParam, earlier: SearchSpace): string[] {
  return Object.entries(when).flatMap(([parent, value]) => {
    const at = `space.${name}.when.${parent}`;
    const named = earlier.find((each) => each.name === parent);
    if (named === undefined) return [`${at}: expected an earlier parameter, found ${JSON.stringify(parent)}`];
    if (countValues(named.domain) === Infinity) return [`${at}: expected a parameter with options or a step`];
    return hasValue(named.domain, value)
      ? []
      : [`${at}: expected a value of ${parent}, found ${JSON.stringify(value)}`];
  });
}

const hasValue = (domain: Domain, value: ParamValue): boolean =>
  domain.kind === 'choice'
    ? domain.options.includes(value)
    : typeof value === 'number' && nearestValue(domain, value) === value;

const contradictions = (space: SearchSpace): string[] =>
  [...fullConditions(space)].flatMap(([name, condition]) =>
    condition === null ? [`space.${name}.when: expected conditions that can hold together, found a contradiction`] : [],
  );
