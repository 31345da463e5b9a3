// Messages of the queue: signatures, schemas and identities. A stranger with access to Redis may write anything.
import { assert, constantFrom, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { outcomeSchema, setupMessageSchema, trialMessageSchema } from '../../../src/research/queue/queue-messages.ts';
import { PayloadFault, openPayload, sealPayload } from '../../../src/research/queue/signed-payload.ts';
import { type WorkerIdentity, identityDifferences, ownIdentity } from '../../../src/research/queue/worker-identity.ts';

const secret = 'sixteen or more characters';
const purpose = ['result', 'a'] as const;
const schema = z.strictObject({ x: z.number() });
const open = (text: string, over: Partial<Parameters<typeof openPayload>[1]> = {}) =>
  openPayload(text, { schema, purpose, secret, ...over });

describe('a signed text', () => {
  it('is read with the same secret, purpose and name', () => {
    expect(open(sealPayload({ x: 1 }, purpose, secret))).toEqual({ x: 1 });
  });

  it('is refused with another secret, purpose or name', () => {
    const text = sealPayload({ x: 1 }, purpose, secret);
    expect(() => open(text, { secret: 'another of sixteen characters' })).toThrow(PayloadFault);
    expect(() => open(text, { purpose: ['trial', 'a'] })).toThrow(PayloadFault);
    expect(() => open(text, { purpose: ['result', 'b'] })).toThrow(PayloadFault);
  });

  it('is refused when any character was changed', () => {
    const text = sealPayload({ x: 1.5 }, purpose, secret);
    assert(
      property(
        nat(text.length - 1),
        constantFrom('0', '1', '9', 'a', 'f', ' ', '{', '}', '"', ':', 'x'),
        (at, character) => {
          const changed = text.slice(0, at) + character + text.slice(at + 1);
          if (changed === text || at === 64) return;
          expect(() => open(changed)).toThrow(PayloadFault);
        },
      ),
    );
  });

  it('is refused when it is no signed text, is too long or has another form', () => {
    for (const text of ['', '{}', 'x'.repeat(200)]) expect(() => open(text)).toThrow(PayloadFault);
    expect(() => open(sealPayload({ x: 1, y: 2 }, purpose, secret))).toThrow(/expected the members of this version/);
    expect(() => sealPayload('x'.repeat(5 << 20), purpose, secret)).toThrow(/expected at most 4194304 bytes/);
  });
});

describe('a message', () => {
  const hash = 'a'.repeat(64);
  const setup = {
    v: 1,
    identity: ownIdentity(),
    hash,
    parts: { strategy: 'b' },
    study: 'study: x',
    config: 'cash: 1',
    tapes: [hash],
    strategy: { fileName: 'quoter.ts', sha256: hash, sources: [{ path: 'lib/fair.ts', text: '' }] },
    files: [{ path: 'curves/a.csv', text: '' }],
  };

  it('with a path outside of the study’s folder is refused', () => {
    expect(setupMessageSchema.safeParse(setup).success).toBe(true);
    for (const path of ['../x', '/etc/passwd', 'a/../../x', '..', 'a/..', 'a\\b', 'a\0b', '']) {
      expect(setupMessageSchema.safeParse({ ...setup, files: [{ path, text: '' }] }).success).toBe(false);
      const sources = [{ path, text: '' }];
      expect(setupMessageSchema.safeParse({ ...setup, strategy: { ...setup.strategy, sources } }).success).toBe(false);
    }
    for (const fileName of ['../x.ts', 'a/b.ts', '..', '.'])
      expect(setupMessageSchema.safeParse({ ...setup, strategy: { ...setup.strategy, fileName } }).success).toBe(false);
  });

  it('of a trial has a number, a hash and parameters of at most 64 kB', () => {
    const trial = { v: 1, study: hash, n: 3, hash, params: { a: 1, b: 'x', c: true } };
    expect(trialMessageSchema.safeParse(trial).success).toBe(true);
    for (const wrong of [
      { n: -1 },
      { hash: 'x' },
      { params: { a: {} } },
      { params: { a: 'x'.repeat(70_000) } },
      { z: 1 },
    ])
      expect(trialMessageSchema.safeParse({ ...trial, ...wrong }).success).toBe(false);
  });

  it('with a result survives the way as it was', () => {
    const outcome = {
      type: 'result',
      result: {
        end: 'finished',
        values: [-1.5],
        violations: [],
        intermediate: [{ groups: 1, value: 2 }],
        figures: { profit: 1500000, sharpe: null },
        decisions: ['ab'],
        groups: [
          {
            group: 'G',
            cluster: 'G',
            from: 1,
            known: null,
            profit: 1,
            fees: 0,
            qty: 100,
            fills: 1,
            lockedDollarDays: 0.5,
          },
        ],
      },
    };
    expect(outcomeSchema.parse(JSON.parse(JSON.stringify(outcome)))).toEqual(outcome);
    expect(outcomeSchema.safeParse({ type: 'aborted' }).success).toBe(false);
  });
});

describe('the identity of a worker', () => {
  const ours = ownIdentity();

  it('names packages with their versions, and differs from another in what differs alone', () => {
    expect(ours.packages['zod']).toMatch(/^\d+\.\d+\.\d+$/);
    expect(identityDifferences(ours, ours)).toEqual([]);
    const theirs: WorkerIdentity = {
      ...ours,
      packages: { ...ours.packages, zod: '0.0.1' },
      node: '99',
      platform: 'elsewhere',
    };
    expect(identityDifferences(theirs, ours)).toEqual([
      `zod: the study has 0.0.1, this worker ${ours.packages['zod']}`,
      `node: the study has 99, this worker ${ours.node}`,
    ]);
  });

  it('differs when only the code of the engine does', () => {
    expect(identityDifferences({ ...ours, engine: 'f'.repeat(64) }, ours)).toEqual([
      `code of the engine: the study has ffffffffffff, this worker ${ours.engine.slice(0, 12)}`,
    ]);
  });
});
