// Variants of specs for feeds that send NO prices on the YES scale at our request. Must never change any other part of
// a spec.
import type { AnyField, AnySpec, RecordSpec } from './record-spec.ts';

/** The spec without the conversion of NO prices. Alternative spellings of a price stay as they are. */
export function onYesScale<T>(spec: RecordSpec<T>): RecordSpec<T> {
  // tidy: as — only the conversion of prices changes, so the spec's type parameter stays the same.
  const any = spec as unknown as AnySpec;
  const fields = Object.fromEntries(Object.entries(any.fields).map(([name, field]) => [name, turned(field)]));
  // tidy: as (back to the type of the given spec)
  return { ...any, fields } as unknown as RecordSpec<T>;
}

function turned(field: AnyField): AnyField {
  if (field.kind === 'levels') return { ...field, leg: 'yes' };
  if (field.kind !== 'price' || field.noLegWhen === undefined) return field;
  const { noLegWhen: _, ...rest } = field;
  return rest;
}
