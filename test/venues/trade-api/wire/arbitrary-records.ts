// Arbitrary values of any record, drawn from its spec: exactly those that the wire can hold.
import * as fc from 'fast-check';
import { scalarOf } from '../../../../src/venues/trade-api/wire/scalars.ts';
import type {
  AnyField,
  AnyForm,
  AnyWireField,
  AnySpec,
  RecordSpec,
} from '../../../../src/venues/trade-api/wire/record-spec.ts';

const SPAN = 4_000_000_000_000_000;
const name = fc.stringMatching(/^[A-Z0-9][A-Z0-9-]{0,20}$/);
const scaled = (step: number, min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: Math.ceil(min / step), max: Math.floor(max / step) }).map((n) => n * step + 0);

function arbitraryForm(form: AnyForm): fc.Arbitrary<unknown> {
  switch (form.kind) {
    case 'text':
      return fc.string({ minLength: 1, maxLength: 20 });
    case 'name':
      return name;
    case 'name-id':
      throw new Error('an id derived from a name is never decoded');
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer();
    case 'decimal':
      return fc.integer({ min: -1_000_000, max: 1_000_000 });
    case 'measure':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    case 'presence':
      return fc.constant(true);
    case 'price':
      return scaled(form.form === 'cents' ? 100 : 1, 0, 10_000);
    case 'qty':
      return scaled(form.form === 'contracts' ? 100 : 1, form.signed ? -SPAN : 0, SPAN);
    case 'money':
      return scaled({ cents: 10_000, centicents: 100, dollars: 1, dollars4: 100 }[form.form], -SPAN, SPAN);
    case 'time':
      return scaled({ seconds: 1_000_000, millis: 1000, micros: 1, rfc3339: 1 }[form.form], 0, SPAN);
    case 'enum':
      return fc.constantFrom(...Object.values(form.values));
    case 'levels':
      return arbitraryLevels(form.price === 'cents' ? 100 : 1, form.qty === 'contracts' ? 100 : 1, form.leg);
    case 'list':
      return fc.array(arbitraryForm(form.of), { minLength: 1, maxLength: 4 });
    case 'map':
      return fc.dictionary(name, arbitraryForm(form.of), { maxKeys: 4 }).map((found) => new Map(Object.entries(found)));
    case 'record':
      return arbitrarySpec(form.of);
  }
}

/** Levels in wire order: ascending in the price of their leg. */
const arbitraryLevels = (priceStep: number, qtyStep: number, leg: 'yes' | 'no'): fc.Arbitrary<unknown> =>
  fc
    .uniqueArray(fc.tuple(scaled(priceStep, 0, 10_000), scaled(qtyStep, 0, SPAN)), { selector: ([at]) => at })
    .map((levels) => levels.sort(([a], [b]) => (leg === 'no' ? b - a : a - b)));

function arbitraryField(field: AnyField): fc.Arbitrary<unknown> {
  if (field.kind === 'absent') return fc.constant(null);
  if (field.kind === 'legs') return fc.constantFrom('buy', 'sell');
  if (field.kind === 'named-outcome') return fc.constantFrom('yes', 'no');
  if (field.kind === 'inline') return field.optional ? fc.option(arbitrarySpec(field.of)) : arbitrarySpec(field.of);
  const value = arbitraryForm(field).filter((drawn) => drawn !== nothingOf(field));
  return field.optional ? fc.option(value) : value;
}

/** The value whose text encodes `null`. */
function nothingOf(field: AnyWireField): unknown {
  if (typeof field.blank !== 'string' || field.kind !== 'price') return undefined;
  return scalarOf(field).decode(field.blank, { record: 'nothing', field: field.wire });
}

const arbitrarySpec = (spec: AnySpec): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(Object.entries(spec.fields).map(([member, field]) => [member, arbitraryField(field)])), {
    noNullPrototype: true,
  });

/** An arbitrary value of a record. */
export const arbitraryOf = <T>(spec: RecordSpec<T>): fc.Arbitrary<T> =>
  arbitrarySpec(spec as unknown as AnySpec) as unknown as fc.Arbitrary<T>;
