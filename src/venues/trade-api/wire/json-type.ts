// The JSON type of a value, twice: as a schema, which says what is wrong, and as a plain test, which is many times faster.
// The two must accept the same values: a record that fits is decoded without its schema.
import { z } from 'zod';

/** A JSON type. */
export interface JsonType {
  readonly schema: z.ZodType;
  /** True when the schema accepts the value, or a record without the member for `undefined`. */
  readonly fits: (found: unknown) => boolean;
}

/** The types of the members of a record, by wire name. */
export type JsonShape = Readonly<Record<string, JsonType>>;

export const anyJson: JsonType = { schema: z.unknown(), fits: (found) => found !== undefined };
export const textJson: JsonType = { schema: z.string(), fits: (found) => typeof found === 'string' };
/** A text that is not empty. */
export const nameJson: JsonType = {
  schema: z.string().min(1),
  fits: (found) => typeof found === 'string' && found !== '',
};
export const integerJson: JsonType = { schema: z.int(), fits: Number.isSafeInteger };
export const numberJson: JsonType = { schema: z.number(), fits: Number.isFinite };
export const booleanJson: JsonType = { schema: z.boolean(), fits: (found) => typeof found === 'boolean' };

const isPresent = (found: unknown): boolean => found !== undefined && found !== null;

/** Anything but `null`: a record that its own codec checks. */
export const presentJson: JsonType = { schema: z.unknown().refine(isPresent, 'a record'), fits: isPresent };

/** One of two words. */
export const wordJson = (one: string, other: string): JsonType => ({
  schema: z.enum([one, other]),
  fits: (found) => found === one || found === other,
});

/** A member with a fixed value, which may be missing. */
export const constantJson = (value: string | number | boolean): JsonType => ({
  schema: z.literal(value).optional(),
  fits: (found) => found === undefined || found === value,
});

/** A type, `null` or a missing member. */
export const nullishJson = ({ schema, fits }: JsonType): JsonType => ({
  schema: schema.nullish(),
  fits: (found) => found === undefined || found === null || fits(found),
});

export const listJson = ({ schema, fits }: JsonType): JsonType => ({
  schema: z.array(schema),
  fits: (found) => Array.isArray(found) && found.every(fits),
});

export const pairJson = (first: JsonType, second: JsonType): JsonType => ({
  schema: z.tuple([first.schema, second.schema]),
  fits: (found) => Array.isArray(found) && found.length === 2 && first.fits(found[0]) && second.fits(found[1]),
});

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (found: unknown): found is JsonObject =>
  typeof found === 'object' && found !== null && !Array.isArray(found);

/** A record with arbitrary names. */
export const mapJson = ({ schema, fits }: JsonType): JsonType => ({
  schema: z.record(z.string(), schema),
  fits: (found) => isObject(found) && Object.values(found).every(fits),
});

/** A record that has at least the members of a shape. */
export function recordJson(shape: JsonShape): JsonType {
  const names = Object.keys(shape);
  const types = Object.values(shape);
  const fitsAt = (record: JsonObject, at: number): boolean => types[at]?.fits(record[names[at] ?? '']) === true;
  return {
    schema: z.object(Object.fromEntries(Object.entries(shape).map(([name, { schema }]) => [name, schema]))),
    fits(found) {
      if (!isObject(found)) return false;
      let at = 0;
      while (at < names.length && fitsAt(found, at)) at += 1;
      return at === names.length;
    },
  };
}
