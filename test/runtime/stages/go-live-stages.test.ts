// The go-live stages: what each requires, that a refusal says what is missing, and that there is no way around.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type StageRequest,
  GO_LIVE_STAGES,
  type GoLiveStage,
  type StageStep,
  judgeStage,
} from '../../../src/runtime/stages/go-live-stages.ts';

const HOUR = 3_600_000;
const NOW = 1_800_000_000_000;

const step = (rung: GoLiveStage, change: Partial<StageStep> = {}): StageStep => ({
  rung,
  atMs: NOW - HOUR,
  world: 'production',
  strategies: 'these',
  config: 'c',
  isGood: true,
  elapsedMs: HOUR,
  words: 'as it was',
  ...change,
});
const request = (rung: GoLiveStage): StageRequest => ({ rung, world: 'production', strategies: 'these', nowMs: NOW });
const DAY_AT_SMALLEST = step('smallest', { elapsedMs: 24 * HOUR });
const ALL: readonly StageStep[] = [step('doctor'), step('replay'), step('paper'), step('demo'), DAY_AT_SMALLEST];

/** The missing stage and the reason; `null` when the stage is allowed. */
function missing(steps: readonly StageStep[], rung: GoLiveStage = 'full') {
  const verdict = judgeStage(steps, request(rung));
  return verdict.isAllowed ? null : [verdict.rung, verdict.reason];
}

describe('a go-live stage', () => {
  it.each(GO_LIVE_STAGES.map((rung, index) => [rung, index] as const))(
    '%s is allowed when all stages before it are passed',
    (rung, index) => {
      expect(missing(ALL.slice(0, index), rung)).toBeNull();
    },
  );

  it.each(GO_LIVE_STAGES.slice(1).map((rung, index) => [rung, index] as const))(
    '%s is not allowed without the stage before it',
    (rung, index) => {
      expect(missing(ALL.slice(0, index), rung)?.[0]).toBe(GO_LIVE_STAGES[index]);
    },
  );

  it('a refusal says what to do', () => {
    expect(judgeStage([], request('full'))).toEqual({
      isAllowed: false,
      rung: 'doctor',
      reason: 'presage doctor has not checked production yet',
      remedy: 'presage doctor with this config',
    });
  });
});

describe('a passed stage that no longer counts', () => {
  const without = (rung: GoLiveStage, ...steps: StageStep[]): StageStep[] => [
    ...ALL.filter((each) => each.rung !== rung),
    ...steps,
  ];

  it.each<[string, GoLiveStage, StageStep[], string]>([
    ['a doctor of yesterday', 'doctor', [step('doctor', { atMs: NOW - 25 * HOUR })], 'more than a day'],
    [
      'a doctor of another environment',
      'doctor',
      [step('doctor', { world: 'demo' })],
      'presage doctor has not checked production yet',
    ],
    ['a doctor who found something', 'doctor', [step('doctor'), step('doctor', { isGood: false })], 'something wrong'],
    ['a replay that differed', 'replay', [step('replay'), step('replay', { isGood: false })], 'did not replay'],
    ['paper of other strategies', 'paper', [step('paper', { strategies: 'others' })], 'there was none on paper'],
    ['paper that was short', 'paper', [step('paper', { elapsedMs: 20 * 60_000 })], 'the longest on paper took 20 min'],
    [
      'a demo with an alarm',
      'demo',
      [step('demo'), step('demo', { isGood: false, words: 'alarm' })],
      'went badly: alarm',
    ],
    ['half a day', 'smallest', [step('smallest', { elapsedMs: 12 * HOUR })], '12 h of a day'],
    ['a day before a bad end', 'smallest', [DAY_AT_SMALLEST, step('smallest', { isGood: false })], '0 min of a day'],
  ])('a stage is refused for %s', (_what, rung, steps, words) => {
    expect(missing(without(rung, ...steps))).toEqual([rung, expect.stringContaining(words)]);
  });

  it('a stage adds up several sessions, and a failed one can be made good', () => {
    const pieces = Array.from({ length: 24 }, () => step('smallest'));
    expect(missing(without('smallest', step('smallest', { isGood: false }), ...pieces))).toBeNull();
    expect(missing(without('demo', step('demo', { isGood: false }), step('demo')))).toBeNull();
  });
});

describe('the go-live stages', () => {
  const steps = fc.array(
    fc.record({
      rung: fc.constantFrom(...GO_LIVE_STAGES),
      atMs: fc.integer({ min: NOW - 50 * HOUR, max: NOW }),
      world: fc.constantFrom('production', 'demo', null),
      strategies: fc.constantFrom('these', 'others'),
      config: fc.constant('c'),
      isGood: fc.boolean(),
      elapsedMs: fc.integer({ min: 0, max: 30 * HOUR }),
      words: fc.constant(''),
    }),
  );

  it('never allow a stage without every stage before it', () => {
    fc.assert(
      fc.property(steps, (past) => {
        const reached = GO_LIVE_STAGES.map((rung) => judgeStage(past, request(rung)).isAllowed);
        expect(reached).toEqual([...reached].sort((a, b) => Number(b) - Number(a)));
      }),
    );
  });

  it('do not depend on steps of other strategies', () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(...GO_LIVE_STAGES), (past, rung) => {
        const own = past.filter(({ strategies, rung: on }) => strategies === 'these' || on === 'doctor');
        expect(judgeStage(past, request(rung))).toEqual(judgeStage(own, request(rung)));
      }),
    );
  });
});
