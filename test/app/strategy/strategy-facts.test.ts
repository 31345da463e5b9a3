// The strategies of a report: name, file and parameters, without whole files.
import { describe, expect, it } from 'vitest';
import { strategyFacts } from '../../../src/app/strategy/strategy-facts.ts';

describe('strategyFacts', () => {
  it('omits folders of files and packages, and shortens long parameters', () => {
    const params = { qty: 5, name: 'x'.repeat(200), table: 'x'.repeat(201) };
    const strategies = [
      { name: 'a', file: '/somewhere/a.ts', params },
      { name: 'b', file: '/somewhere/node_modules/plugin', params: {} },
    ];
    expect(strategyFacts(strategies)).toEqual({
      name: 'a, b',
      strategies: [
        { name: 'a', file: 'a.ts', params: { qty: 5, name: 'x'.repeat(200), table: '(a text of 201 characters)' } },
        { name: 'b', file: 'plugin', params: {} },
      ],
    });
  });
});
