// The same record with the prices of its NO leg on the YES scale, for feeds that are asked to tell them so. Pure.
// Must never change anything else about a record.
import type { AnyField, AnySpec, RecordSpec } from './spec.ts';

/** A spelling in which no price is turned to the NO leg. Other names for a price stay as they are. */
export function onYesScale<T>(spec: RecordSpec<T>): RecordSpec<T> {
  // tidy: as — the types of a spec say what it spells; only how prices are turned is changed, here and back.
  const any = spec as unknown as AnySpec;
  const fields = Object.fromEntries(Object.entries(any.fields).map(([name, field]) => [name, turned(field)]));
  // tidy: as (and back)
  return { ...any, fields } as unknown as RecordSpec<T>;
}

function turned(field: AnyField): AnyField {
  if (field.kind === 'levels') return { ...field, leg: 'yes' };
  if (field.kind !== 'price' || field.noLegWhen === undefined) return field;
  const { noLegWhen: _, ...rest } = field;
  return rest;
}
