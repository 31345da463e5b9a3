// Lists the members of a schema at every depth: the values that each takes, its default and its comment. Values and
// defaults come from the schema, comments from its source.
import { z } from 'zod';
import { type SchemaDocs, NO_DOCS } from './docstrings.ts';

/** One member of a schema. */
export interface Member {
  /** Path from the top; `[]` is each item of a list. */
  readonly path: string;
  /** For a member of one form of several: the text that identifies the form; otherwise `null`. */
  readonly form: string | null;
  /** Description of its values, as a part of a sentence. */
  readonly takes: string;
  readonly isRequired: boolean;
  /** Default, written as in a config; `null` for none. */
  readonly without: string | null;
  readonly meaning: string;
}

interface UnwrappedSchema {
  readonly schema: z.core.$ZodType;
  readonly isRequired: boolean;
  readonly without: unknown;
}

/** Returns every member of a schema. */
export function membersOf(schema: z.core.$ZodType, docs: SchemaDocs, path = ''): Member[] {
  const { schema: bare } = unwrapped(schema);
  const inner: z.core.$ZodTypeDef = bare._zod.def;
  if (isOf<z.core.$ZodObjectDef>(inner, 'object'))
    return Object.entries(inner.shape).flatMap(([name, member]) =>
      memberWithInner(member, docs.members.get(name) ?? NO_DOCS, path === '' ? name : `${path}.${name}`),
    );
  if (isOf<z.core.$ZodArrayDef>(inner, 'array')) return membersOf(inner.element, docs, `${path}[]`);
  if (isOf<z.core.$ZodRecordDef>(inner, 'record')) return membersOf(inner.valueType, docs, `${path}.NAME`);
  if (!isOf<z.core.$ZodUnionDef>(inner, 'union')) return [];
  const forms = inner.options.map((form, index) => formOf(form, docs.forms[index] ?? NO_DOCS, path));
  const shared =
    forms.length < 2 ? [] : (forms[0] ?? []).filter((member) => forms.every((form) => form.some(isSame(member))));
  return [...forms.flatMap((form) => form.filter((member) => !shared.some(isSame(member)))), ...shared];
}

/** True when a form has an equal member. */
const isSame =
  ({ path, form, takes, without }: Member) =>
  (other: Member): boolean =>
    path === other.path && form === other.form && takes === other.takes && without === other.without;

/** Returns the members of one form, named by the member that distinguishes it from the other forms. */
function formOf(form: z.core.$ZodType, docs: SchemaDocs, path: string): Member[] {
  const members = membersOf(form, docs, path);
  const [first, ...others] = members;
  if (first === undefined || first.form !== null) return members;
  const kind = `${first.path.slice(path.length + 1)}: ${first.takes}`;
  return [{ ...first, path, form: kind, takes: '', isRequired: false, meaning: docs.text }, ...others];
}

function memberWithInner(schema: z.core.$ZodType, docs: SchemaDocs, path: string): Member[] {
  const { isRequired, without, schema: bare } = unwrapped(schema);
  const deeper = membersOf(schema, docs, path);
  const own = {
    path,
    form: null,
    takes: takesOf(bare, deeper.length > 0),
    isRequired,
    without: shownValue(without),
    meaning: docs.text,
  };
  return [own, ...deeper];
}

/** Removes the layers of a schema that only make it optional, give its default or transform its result. */
function unwrapped(schema: z.core.$ZodType): UnwrappedSchema {
  const def = schema._zod.def;
  if (isOf<z.core.$ZodOptionalDef>(def, 'optional')) return { ...unwrapped(def.innerType), isRequired: false };
  if (isOf<z.core.$ZodNullableDef>(def, 'nullable')) return unwrapped(def.innerType);
  if (isOf<z.core.$ZodDefaultDef>(def, 'default') || isOf<z.core.$ZodPrefaultDef>(def, 'prefault'))
    return { ...unwrapped(def.innerType), isRequired: false, without: def.defaultValue };
  if (isOf<z.core.$ZodPipeDef>(def, 'pipe') && def.in._zod.def.type !== 'unknown') return unwrapped(def.in);
  return { schema, isRequired: true, without: undefined };
}

const isOf = <Def extends z.core.$ZodTypeDef>(def: z.core.$ZodTypeDef, type: Def['type']): def is Def =>
  def.type === type;

/** Writes a default as in a config. */
function shownValue(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value).replaceAll('"', '').replaceAll(/[,:]/g, '$& ');
  return text === '[]' || text === '{}' ? null : text;
}

/** Describes the values that a schema takes. */
function takesOf(schema: z.core.$ZodType, hasMembers: boolean): string {
  const def = schema._zod.def;
  if (def.type === 'object') return 'members';
  if (isOf<z.core.$ZodArrayDef>(def, 'array'))
    return hasMembers ? 'a list' : `a list of: ${takesOf(unwrapped(def.element).schema, false)}`;
  if (def.type === 'record') return 'members by name';
  if (isOf<z.core.$ZodUnionDef>(def, 'union')) {
    const plain = formsOf(def).filter((each) => each._zod.def.type !== 'object');
    return [...plain.map((each) => takesOf(each, false)), ...(hasMembers ? ['one of the forms below'] : [])].join(
      ', or ',
    );
  }
  if (def.type === 'pipe' || def.type === 'unknown') return expected(schema);
  return ofJson(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

/** Returns the forms of a union, and those of unions in it. */
const formsOf = ({ options }: z.core.$ZodUnionDef): z.core.$ZodType[] =>
  options.flatMap((each) => {
    const { schema } = unwrapped(each);
    const { def } = schema._zod;
    return isOf<z.core.$ZodUnionDef>(def, 'union') ? formsOf(def) : [schema];
  });

/** Returns a field's description of its expected values, from the error for a value that no field takes. */
function expected(schema: z.core.$ZodType): string {
  const parsed = z.safeParse(schema, {});
  const message = parsed.success ? undefined : parsed.error.issues[0]?.message;
  return message?.split(/,? such as /, 1)[0] ?? 'anything';
}

function ofJson(schema: z.core.JSONSchema.BaseSchema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.type === 'boolean') return '`true` or `false`';
  if (schema.type === 'string') return 'text';
  const least = schema.exclusiveMinimum ?? boundOf(schema.minimum);
  const most = schema.exclusiveMaximum ?? boundOf(schema.maximum);
  const range = [
    least === undefined ? '' : `${schema.exclusiveMinimum === undefined ? 'from' : 'above'} ${least}`,
    most === undefined ? '' : `${schema.exclusiveMaximum === undefined ? 'to' : 'below'} ${most}`,
  ];
  return [schema.type === 'integer' ? 'a whole number' : 'a number', ...range].filter((part) => part !== '').join(' ');
}

/** Drops bounds that only say that a number is exact. */
const boundOf = (bound: number | undefined): number | undefined =>
  bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
