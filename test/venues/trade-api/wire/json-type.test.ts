// The two halves of a JSON type accept the same values: a record that fits is decoded without its schema.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type JsonType,
  anyJson,
  booleanJson,
  constantJson,
  integerJson,
  listJson,
  mapJson,
  nameJson,
  nullishJson,
  numberJson,
  pairJson,
  presentJson,
  recordJson,
  textJson,
  wordJson,
} from '../../../../src/venues/trade-api/wire/json-type.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const MEMBERS = ['a', 'b', 'c'] as const;

/** Values near the bounds of the simple types, and any other. */
const simpleValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -0, 1.5, 1e308, '', 'yes', 'no', '0', [], {}, [1], ['x', 1]),
  fc.constantFrom<unknown>(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1, Number.POSITIVE_INFINITY),
  fc.integer(),
  fc.string({ maxLength: 3 }),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    { weight: 3, arbitrary: simpleValue },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    {
      weight: 2,
      arbitrary: fc.dictionary(fc.constantFrom(...MEMBERS, 'more'), tie('value'), { noNullPrototype: true }),
    },
  ),
}));

/** An item of a pair is never missing. */
const required = fc.constantFrom(integerJson, textJson, nameJson);

const { type } = fc.letrec<{ type: JsonType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'type' },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        anyJson,
        textJson,
        nameJson,
        integerJson,
        numberJson,
        booleanJson,
        presentJson,
        wordJson('yes', 'no'),
        constantJson('yes'),
        constantJson(0),
      ),
    },
    { weight: 1, arbitrary: tie('type').map(nullishJson) },
    { weight: 1, arbitrary: tie('type').map(listJson) },
    { weight: 1, arbitrary: tie('type').map(mapJson) },
    { weight: 1, arbitrary: fc.tuple(required, required).map(([one, other]) => pairJson(one, other)) },
    { weight: 2, arbitrary: fc.dictionary(fc.constantFrom(...MEMBERS), tie('type')).map(recordJson) },
  ),
}));

test('a value fits exactly when the schema accepts it', () => {
  const seen = { fit: 0, refused: 0 };
  fc.assert(
    fc.property(type, fc.array(value, { minLength: 5, maxLength: 20 }), (each, values) => {
      for (const found of values) {
        expect(each.fits(found)).toBe(each.schema.safeParse(found).success);
        seen[each.fits(found) ? 'fit' : 'refused'] += 1;
      }
    }),
    { numRuns: runCount(1000) },
  );
  expect(Math.min(seen.fit, seen.refused)).toBeGreaterThan(500);
});

test('a record with members from its prototype alone does not count them as missing or present differently', () => {
  const each = recordJson({ constructor: nullishJson(textJson), toString: nullishJson(textJson) });
  for (const found of [{}, JSON.parse('{"constructor":"a"}'), JSON.parse('{"toString":1}')])
    expect(each.fits(found)).toBe(each.schema.safeParse(found).success);
});
