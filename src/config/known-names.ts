// Lists the member names that a schema allows at a path, for messages about an unknown name. Validates nothing.
import type { z } from 'zod';

/** A path in a value. */
export interface SchemaPath {
  readonly path: readonly PropertyKey[];
  /** The whole value in which the path lies. It decides which members of a union apply. */
  readonly value: unknown;
}

/** Member names of an object at a path. Empty where the schema takes any name, or has no object. */
export function memberNamesAt(schema: z.core.$ZodType, { path, value }: SchemaPath): string[] {
  const { def } = unwrapped(schema)._zod;
  const [key, ...rest] = path;
  if (isOf<z.core.$ZodUnionDef>(def, 'union'))
    return [...new Set(formsOf(def, value).flatMap((form) => memberNamesAt(form, { path, value })))];
  if (isOf<z.core.$ZodObjectDef>(def, 'object')) {
    if (key === undefined) return Object.keys(def.shape);
    const member = Object.hasOwn(def.shape, key) ? def.shape[String(key)] : undefined;
    return member === undefined ? [] : memberNamesAt(member, { path: rest, value: memberOf(value, key) });
  }
  if (key === undefined) return [];
  const inner = { path: rest, value: memberOf(value, key) };
  if (isOf<z.core.$ZodArrayDef>(def, 'array')) return memberNamesAt(def.element, inner);
  return isOf<z.core.$ZodRecordDef>(def, 'record') ? memberNamesAt(def.valueType, inner) : [];
}

/** Removes the wrappers for optional values, defaults and transforms. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod;
  if (
    isOf<z.core.$ZodOptionalDef>(def, 'optional') ||
    isOf<z.core.$ZodNullableDef>(def, 'nullable') ||
    isOf<z.core.$ZodDefaultDef>(def, 'default') ||
    isOf<z.core.$ZodPrefaultDef>(def, 'prefault')
  )
    return unwrapped(def.innerType);
  return isOf<z.core.$ZodPipeDef>(def, 'pipe') ? unwrapped(def.in) : schema;
}

/** Members of a union whose constants agree with the value. */
const formsOf = ({ options }: z.core.$ZodUnionDef, value: unknown): readonly z.core.$ZodType[] =>
  options.filter((option) => {
    const { def } = unwrapped(option)._zod;
    if (!isOf<z.core.$ZodObjectDef>(def, 'object')) return true;
    return Object.entries(def.shape).every(([name, member]) => {
      const given = memberOf(value, name);
      const inner = unwrapped(member)._zod.def;
      if (given === undefined || !isOf<z.core.$ZodLiteralDef<z.core.util.Literal>>(inner, 'literal')) return true;
      return inner.values.some((each) => each === given);
    });
  });

const memberOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

const isOf = <Def extends z.core.$ZodTypeDef>(def: z.core.$ZodTypeDef, type: Def['type']): def is Def =>
  def.type === type;
