// What a report says of the strategies that ran: by name, file and parameters, without whole files.
import { describe, expect, it } from 'vitest';
import { strategyFacts } from '../../../src/app/strategy/strategy-facts.ts';

describe('what a report says of strategies', () => {
  it('names their files and packages without where they are, and parameters without whole texts', () => {
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
