// A value against its published schema: each kind of difference is found at its path, and nothing where there is none.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareWithSchema } from '../../../../src/venues/trade-api/drift/schema-comparison.ts';
import { SchemaReader } from '../../../../src/venues/trade-api/drift/schema-reader.ts';

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
  compareWithSchema(new SchemaReader(DOCUMENT), schema(name), value).map(({ kind, path }) => `${kind} ${path}`);

const MARKET = { ticker: 'A', kind: 'binary' };

describe('a value that fits its schema', () => {
  it.each([
    ['with only the required members', MARKET],
    ['with null where it is allowed', { ...MARKET, last: null }],
    ['with lists of lists', { ...MARKET, yes: [['0.4', '1.00']] }],
    ['with an object whose schema lists no members', { ...MARKET, strike: { any: [1, 'thing'] } }],
    ['with a map', { ...MARKET, sources: { a: '1', b: '2' } }],
    ['with itself inside', { ...MARKET, legs: [MARKET, { ...MARKET, legs: [] }] }],
  ])('a value %s has no findings', (_name, value) => {
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
  ])('reports the path of %s', (_name, value, expected) => {
    expect(found('Market', value)).toEqual([expected]);
  });

  it('reports all differences', () => {
    expect(found('Market', { kind: 'cubic', extra: 1 })).toEqual([
      'missing-field ticker',
      'new-value kind',
      'unknown-field extra',
    ]);
  });
});

describe('composed schemas', () => {
  it('narrows an `allOf` part by the members next to it', () => {
    expect(found('Narrowed', { type: 'narrowed', sid: 1 })).toEqual([]);
    expect(found('Narrowed', { type: 'base', sid: 'x' })).toEqual(['new-value type', 'wrong-type sid']);
  });

  it('compares with the best fit of several alternatives', () => {
    expect(found('Either', { type: 'base', sid: 1 })).toEqual([]);
    expect(found('Either', { ...MARKET, extra: true })).toEqual(['unknown-field extra']);
  });

  it('allows anything for a reference without a target, or in a circle', () => {
    expect(found('Lost', { any: 'thing' })).toEqual([]);
    expect(found('Round', [1])).toEqual([]);
  });

  it('never fails, whatever the document and the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (document, value) => {
        compareWithSchema(new SchemaReader(document), document, value);
      }),
    );
  });
});
