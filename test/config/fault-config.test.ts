// The fault plan: the shipped one is valid, defaults are as documented, and every broken one is refused by line and
// column.
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CHANNEL_NAMES, ENDPOINT_NAMES, faultsSchema, readFaultPlan } from '../../src/config/fault-config.ts';
import { ConfigError } from '../../src/base/config-error.ts';
import { parseYaml } from '../../src/config/yaml.ts';
import { fromMillis, fromSeconds } from '../../src/domain/units.ts';
import { profileByName, profileNames } from '../../src/venues/trade-api/profiles/profile-registry.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';

const parse = (text: string) => parseYaml(text, { file: 'some/faults.yaml', schema: faultsSchema });

function complaint(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'nothing';
}

describe('the fault plan', () => {
  it('the shipped fault plan has one rule of every kind', () => {
    const plan = readFaultPlan(fileURLToPath(new URL('../../config/faults.yaml', import.meta.url)));
    const kinds = (rules: readonly { readonly fault: string }[]) => new Set(rules.map(({ fault }) => fault));
    expect([kinds(plan.requests).size, kinds(plan.feed).size]).toEqual([7, 9]);
    expect(new Set(plan.incidents.map(({ incident }) => incident)).size).toBe(6);
  });

  it('the fault plan is empty by default, and reads durations exactly', () => {
    expect(parse('{}')).toEqual({ requests: [], feed: [], clock: [], incidents: [] });
    const plan = parse('requests: [{ fault: delay, before: 1.5s, from: 2m }]');
    expect(plan.requests).toEqual([
      { fault: 'delay', before: fromMillis(1500), after: 0, from: fromSeconds(120), probability: 1 },
    ]);
  });

  it('the fault plan knows every endpoint and channel of a profile', () => {
    const known = new Set(profileNames().flatMap((name) => Object.keys(profileByName(name)?.endpoints ?? {})));
    expect([...ENDPOINT_NAMES].sort()).toEqual([...known].sort());
    expect([...CHANNEL_NAMES].sort()).toEqual(Object.keys(serviceProfile.feed.channels).sort());
  });

  it.each([
    [
      'an unknown fault',
      'requests:\n  - { fault: earthquake }',
      /some\/faults\.yaml:2:\d+: requests\[0\]\.fault: expected one of drop-answer, .* found "earthquake"/,
    ],
    ['a fault of the feed on a request', 'requests:\n  - { fault: lose }', /faults\.yaml:2:/],
    [
      'an unknown endpoint',
      'requests:\n  - { fault: drop-answer, on: [trade] }',
      /faults\.yaml:2:\d+: requests\[0\]\.on/,
    ],
    ['an unknown channel', 'feed:\n  - { fault: lose, on: [fill] }', /faults\.yaml:2:\d+: feed\[0\]\.on/],
    ['a chance above one', 'feed:\n  - { fault: lose, probability: 2 }', /feed\[0\]\.probability/],
    ['a duration without a unit', 'requests:\n  - { fault: stale, by: 400 }', /requests\[0\]\.by: expected a duration/],
    ['a missing lag', 'requests:\n  - { fault: stale }', /requests\[0\]\.by/],
    ['an unknown member', 'feed:\n  - { fault: cut, often: true }', /feed\[0\]/],
    ['a clock that is neither ahead nor behind', 'clock:\n  - { from: 1s }', /either ahead or behind/],
    ['an incident without a time', 'incidents:\n  - { incident: crash, for: 1s }', /after, every, or both/],
    ['incidents that never pause', 'incidents:\n  - { incident: crash, for: 1s, every: 1ms }', /at least 10ms/],
    [
      'a close that moves both ways',
      'incidents:\n  - { incident: move-close, after: 1s, sooner: 1s, later: 1s }',
      /either sooner or later/,
    ],
    ['a success that is an error', 'requests:\n  - { fault: server-error, status: 200 }', /requests\[0\]\.status/],
  ])('the fault plan refuses %s, with its place', (_name, text, says) => {
    expect(complaint(text)).toMatch(says);
  });
});
