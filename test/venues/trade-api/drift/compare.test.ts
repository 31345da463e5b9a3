// A value beside its published schema: each kind of difference is found where it is, and nothing where there is none.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare } from '../../../../src/venues/trade-api/drift/compare.ts';
import { SchemaReader } from '../../../../src/venues/trade-api/drift/schema.ts';

const DOCUMENT = {
  components: {
    schemas: {
      Dollars: { type: 'string' },
      Kind: { type: 'string', enum: ['binary', 'scalar'] },
      Level: { type: 'array', items: { type: 'string' } },
      Base: { type: 'object', required: ['type'], properties: { type: { const: 'base' }, sid: { type: 'integer' } } },
      Market: {
        type: 'object',
        required: ['ticker', 'kind'],
        properties: {
          ticker: { type: 'string' },
          kind: { $ref: '#/components/schemas/Kind' },
          last: { allOf: [{ $ref: '#/components/schemas/Dollars' }], nullable: true },
          yes: { type: 'array', items: { $ref: '#/components/schemas/Level' } },
          strike: { type: 'object' },
          sources: { type: 'object', additionalProperties: { $ref: '#/components/schemas/Dollars' } },
          legs: { type: 'array', items: { $ref: '#/components/schemas/Market' } },
        },
      },
      Narrowed: {
        allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object', properties: { type: { const: 'narrowed' } } }],
      },
      Either: { oneOf: [{ $ref: '#/components/schemas/Market' }, { $ref: '#/components/schemas/Base' }] },
      Lost: { $ref: '#/components/schemas/Nowhere' },
      Round: { allOf: [{ $ref: '#/components/schemas/Round' }] },
    },
  },
};

const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const found = (name: string, value: unknown) =>
  compare(new SchemaReader(DOCUMENT), schema(name), value).map(({ kind, path }) => `${kind} ${path}`);

const MARKET = { ticker: 'A', kind: 'binary' };

describe('a value that is as described', () => {
  it.each([
    ['with only what must be there', MARKET],
    ['with null where it may be', { ...MARKET, last: null }],
    ['with lists of lists', { ...MARKET, yes: [['0.4', '1.00']] }],
    ['with a record of which nothing is said', { ...MARKET, strike: { any: [1, 'thing'] } }],
    ['with a map', { ...MARKET, sources: { a: '1', b: '2' } }],
    ['with itself inside', { ...MARKET, legs: [MARKET, { ...MARKET, legs: [] }] }],
  ])('%s has no findings', (_name, value) => {
    expect(found('Market', value)).toEqual([]);
  });
});

describe('a value that differs', () => {
  it.each([
    ['an unknown member', { ...MARKET, extra: 1 }, 'unknown-field extra'],
    ['a missing member', { ticker: 'A' }, 'missing-field kind'],
    ['a value that is not listed', { ...MARKET, kind: 'cubic' }, 'new-value kind'],
    ['a number for a text', { ...MARKET, last: 0.5 }, 'wrong-type last'],
    ['null where it may not be', { ...MARKET, ticker: null }, 'wrong-type ticker'],
    ['a wrong item of a list of lists', { ...MARKET, yes: [['0.4', 1]] }, 'wrong-type yes[][]'],
    ['a wrong member of a map', { ...MARKET, sources: { a: 1 } }, 'wrong-type sources.{}'],
    ['an unknown member far inside', { ...MARKET, legs: [{ ...MARKET, extra: 1 }] }, 'unknown-field legs[].extra'],
    ['a list for a record', [], 'wrong-type (the whole)'],
  ])('by %s is told where', (_name, value, expected) => {
    expect(found('Market', value)).toEqual([expected]);
  });

  it('in several places is told of all of them', () => {
    expect(found('Market', { kind: 'cubic', extra: 1 })).toEqual([
      'missing-field ticker',
      'new-value kind',
      'unknown-field extra',
    ]);
  });
});

describe('schemas made of others', () => {
  it('are narrowed by what stands beside what they are made of', () => {
    expect(found('Narrowed', { type: 'narrowed', sid: 1 })).toEqual([]);
    expect(found('Narrowed', { type: 'base', sid: 'x' })).toEqual(['new-value type', 'wrong-type sid']);
  });

  it('of which one must fit are compared with the one that fits best', () => {
    expect(found('Either', { type: 'base', sid: 1 })).toEqual([]);
    expect(found('Either', { ...MARKET, extra: true })).toEqual(['unknown-field extra']);
  });

  it('that lead nowhere, or round in a circle, allow anything', () => {
    expect(found('Lost', { any: 'thing' })).toEqual([]);
    expect(found('Round', [1])).toEqual([]);
  });

  it('never fail, whatever the document and the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (document, value) => {
        compare(new SchemaReader(document), document, value);
      }),
    );
  });
});
