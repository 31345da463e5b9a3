// Properties of the queue under any order of firings, ends, answers and pauses.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEVERITIES } from '../../../src/config/alerts-config.ts';
import { changesOf, stateAfter } from '../../../src/alerts/queue/queue-changes.ts';
import { MESSAGES_MAX, PAUSE_MS, WINDOW_MS } from '../../../src/alerts/queue/target-lane.ts';
import { isQuiet } from '../../../src/alerts/queue/quiet-hours.ts';
import { runCount } from '../../support/runner/property-runs.ts';
import { QueueHarness, aPolicy } from '../../support/alerts/queue-harness.ts';

const QUIET = { from: 12 * 60 + 5, to: 13 * 60, zone: 'UTC' };
const POLICIES = [aPolicy({ name: 'a' }), aPolicy({ name: 'b', severity: 'warning', quiet: QUIET })];

const act = fc.oneof(
  fc.record({
    type: fc.constant('fire' as const),
    scope: fc.integer({ min: 0, max: 60 }),
    severity: fc.constantFrom(...SEVERITIES),
  }),
  fc.record({ type: fc.constant('end' as const), scope: fc.integer({ min: 0, max: 60 }) }),
  fc.record({ type: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 900 }) }),
  fc.record({
    type: fc.constant('answer' as const),
    outcome: fc.constantFrom('sent' as const, 'failed' as const),
  }),
);

function play(harness: QueueHarness, acts: readonly (typeof act extends fc.Arbitrary<infer A> ? A : never)[]): void {
  for (const each of acts) {
    if (each.type === 'fire') harness.fire({ scope: `s${each.scope}`, severity: each.severity });
    else if (each.type === 'end') harness.end('feed-down', `s${each.scope}`);
    else if (each.type === 'pass') harness.pass(each.seconds * 1000, 5000);
    else harness.answer = () => (each.outcome === 'sent' ? { type: 'sent' } : { type: 'failed', afterMs: null });
  }
}

const acts = fc.array(act, { minLength: 1, maxLength: 120 });

describe('the queue of alerts', () => {
  it('delivers every record to every target that takes it exactly once, when the receiver comes back', () => {
    fc.assert(
      fc.property(acts, (given) => {
        const harness = new QueueHarness(POLICIES);
        play(harness, given);
        harness.answer = () => ({ type: 'sent' });
        harness.pass(3 * 3_600_000, 10_000);
        const queued = harness.changes.flatMap((change) =>
          change.type === 'queued' ? change.targets.map((target) => `${change.record.id} ${target}`) : [],
        );
        const settled = harness.changes.flatMap((change) =>
          change.type === 'settled' ? [`${change.id} ${change.target} ${change.outcome}`] : [],
        );
        expect(settled.toSorted()).toEqual(queued.map((each) => `${each} sent`).toSorted());
      }),
      { numRuns: runCount(60) },
    );
  });

  it('never sends more than its limits allow, nor anything but critical records in quiet hours', () => {
    fc.assert(
      fc.property(acts, (given) => {
        const harness = new QueueHarness(POLICIES);
        play(harness, given);
        for (const { name, quiet } of POLICIES) {
          const own = harness.sent.filter(({ target }) => target === name);
          own.forEach(({ atMs, message }, i) => {
            if (i > 0) expect(atMs - own[i - 1]!.atMs).toBeGreaterThanOrEqual(PAUSE_MS);
            const isCritical = message.severity === 'critical';
            const alike = own.filter(
              (other) =>
                (other.message.severity === 'critical') === isCritical &&
                other.atMs <= atMs &&
                atMs - other.atMs < WINDOW_MS,
            );
            expect(alike.length).toBeLessThanOrEqual(MESSAGES_MAX);
            if (!isCritical) expect(isQuiet(quiet, atMs)).toBe(false);
          });
        }
      }),
      { numRuns: runCount(60) },
    );
  });

  it('restores the same state from its changes at any cut, and loses no record', () => {
    fc.assert(
      fc.property(acts, fc.nat(), (given, cut) => {
        const harness = new QueueHarness(POLICIES);
        play(harness, given);
        expect(stateAfter(harness.queue.compactChanges()).pending).toEqual(stateAfter(harness.changes).pending);
        const early = harness.changes.slice(0, cut % (harness.changes.length + 1));
        const state = stateAfter(early);
        expect(stateAfter(changesOf(state))).toEqual(state);
        const restarted = new QueueHarness(POLICIES, early);
        restarted.nowMs = harness.nowMs;
        restarted.pass(3 * 3_600_000, 10_000);
        const { pending } = state;
        const sent = new Set(
          restarted.changes.flatMap((change) =>
            change.type === 'settled' && change.outcome === 'sent' ? [change.id] : [],
          ),
        );
        for (const id of pending.keys()) expect(sent).toContain(id);
      }),
      { numRuns: runCount(60) },
    );
  });
});
