// CMA-ES: it proposes a generation of points around a center that moves, with steps that adapt. Must never propose a trial before all
// generations before it have ended: its lag is the generation.
import { normalQuantile } from '../../statistics/normal.ts';
import type { EndedTrial, TrialParams } from '../../trial/study-trial.ts';
import type { ProposalInput, Sampler } from '../sampler.ts';
import type { SearchSpace } from '../search-space.ts';
import { valueFromUnit } from '../space/param-values.ts';
import { checkSpace } from '../space/space-check.ts';
import { drawParams } from '../space/space-conditions.ts';
import { type DrawUniform, trialDraws } from '../trial-random.ts';
import { rankTrials } from '../trial-ranking.ts';
import { type CmaSettings, cmaSettings } from './cma-settings.ts';
import { type CmaState, firstState, nextState, pointOf } from './cma-state.ts';

const MIDDLE = 0.5;
const FIRST_STEP = 1 / 6;
/** Draws of a point before it is clipped to the space. */
const DRAWS_MAX = 100;
/** The greatest value below 1. */
const BELOW_ONE = 1 - Number.EPSILON / 2;

/** A state, and the trials from which it was computed. */
interface KnownState {
  readonly state: CmaState;
  readonly trials: readonly EndedTrial[];
}

/**
 * Proposes points by CMA-ES over the numeric parameters, each scaled to the unit interval. Choices are random. The state is computed
 * again from the trials, so nothing has to be stored.
 */
export class CmaSampler implements Sampler {
  readonly #space: SearchSpace;
  readonly #seed: number;
  readonly #settings: CmaSettings;
  /** A cache of the newest state. It is used only when the trials are those from which it was computed. */
  #known: KnownState;

  /** @throws RangeError when the space has a fault or no numeric parameter. */
  constructor(space: SearchSpace, seed: number) {
    checkSpace(space);
    const numeric = space.filter(({ domain }) => domain.kind !== 'choice').length;
    if (numeric === 0) throw new RangeError('space: expected a numeric parameter for CMA-ES, found none');
    this.#space = space;
    this.#seed = seed;
    this.#settings = cmaSettings(numeric);
    this.#known = { state: this.#firstState(), trials: [] };
  }

  /** Trials of a generation. */
  get generation(): number {
    return this.#settings.generation;
  }

  countSeen(n: number): number {
    return n - (n % this.generation);
  }

  /** @throws RangeError when a trial of an earlier generation has not ended. */
  propose({ n, ended }: Pick<ProposalInput, 'n' | 'ended'>): TrialParams {
    const seen = this.countSeen(n);
    if (ended.length < seen)
      throw new RangeError(`trial ${n}: expected ${seen} ended trials for CMA-ES, found ${ended.length}`);
    const state = this.#stateAfter(seen / this.generation, ended);
    const draw = trialDraws(this.#seed, n);
    const point = drawInside(state, draw);
    let numeric = 0;
    return drawParams(
      this.#space,
      unitsOnce(this.#space.map(({ domain }) => (domain.kind === 'choice' ? draw() : (point[numeric++] ?? MIDDLE)))),
    );
  }

  #stateAfter(generations: number, ended: readonly EndedTrial[]): CmaState {
    const known = this.#known;
    const isKnown = known.trials.length <= ended.length && known.trials.every((trial, i) => trial === ended[i]);
    let state = isKnown && known.state.generations <= generations ? known.state : this.#firstState();
    while (state.generations < generations) {
      const from = state.generations * this.generation;
      state = this.#stateBeyond(state, ended.slice(from, from + this.generation));
    }
    this.#known = { state, trials: ended.slice(0, generations * this.generation) };
    return state;
  }

  #firstState(): CmaState {
    return firstState(
      Array.from({ length: this.#settings.dimensions }, () => MIDDLE),
      FIRST_STEP,
    );
  }

  /** The points of a generation are drawn again: a rounded value is not the point that was drawn. */
  #stateBeyond(state: CmaState, trials: readonly EndedTrial[]): CmaState {
    const points = rankTrials(trials).map(({ n }) => drawInside(state, trialDraws(this.#seed, n)));
    return nextState(this.#settings, state, points);
  }
}

/** Gives each parameter the value at its place in the unit interval. */
const unitsOnce =
  (units: readonly number[]) =>
  ({ domain }: SearchSpace[number], i: number) =>
    valueFromUnit(domain, Math.min(BELOW_ONE, units[i] ?? MIDDLE));

/** Draws a point of the unit cube. After many draws outside of it the last is clipped. */
function drawInside(state: CmaState, draw: DrawUniform): readonly number[] {
  let point: readonly number[] = [];
  for (let i = 0; i < DRAWS_MAX; i++) {
    point = pointOf(
      state,
      state.mean.map(() => normalQuantile(draw())),
    );
    if (point.every((x) => x >= 0 && x <= 1)) return point;
  }
  return point.map((x) => Math.min(1, Math.max(0, x)));
}
