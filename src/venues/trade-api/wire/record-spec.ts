// The wire format of a record as data: the wire name and the form of each member. The types keep each spec in step with
// the members of its record. The same specs are used by client and server.
import type { EventTicker, SeriesTicker, Ticker, TradeId, VenueOrderId } from '../../../domain/ids.ts';
import type { Levels } from '../../../domain/event.ts';
import type { Outcome } from '../../../domain/market.ts';
import type { Side } from '../../../domain/orders/order.ts';
import type { Micros, Money, Price, Qty } from '../../../domain/units.ts';

/** Whole cents as a JSON integer, or dollars as a decimal string. */
export type PriceEncoding = 'cents' | 'dollars';
/** Whole contracts as a JSON integer, or a string with two decimals. */
export type QtyEncoding = 'contracts' | 'decimal';
/**
 * Whole cents or hundredths of a cent as a JSON integer; dollars as a decimal string, with six decimals or with four.
 */
export type MoneyEncoding = 'cents' | 'centicents' | 'dollars' | 'dollars4';
export type TimeEncoding = 'seconds' | 'millis' | 'micros' | 'rfc3339';

export interface TextForm {
  readonly kind: 'text';
}
/** A text that is never empty. */
export interface NameForm {
  readonly kind: 'name';
}
export interface BooleanForm {
  readonly kind: 'boolean';
}
export interface IntegerForm {
  readonly kind: 'integer';
}
/** A JSON number with a fixed number of decimals, held as a scaled integer. */
export interface DecimalForm {
  readonly kind: 'decimal';
  readonly decimals: number;
}
/** A JSON number that is only compared. Any other value decodes as `null`. */
export interface MeasureForm {
  readonly kind: 'measure';
}
/** True when the wire has any value for the member. */
export interface PresenceForm {
  readonly kind: 'presence';
}
/** A UUID derived from the text; never decoded. */
export interface IdForm {
  readonly kind: 'name-id';
}
export interface PriceShape {
  readonly kind: 'price';
  readonly form: PriceEncoding;
  /** The outcome that the price is for. A NO price is converted to the YES scale. Default: YES. */
  readonly leg?: 'yes' | 'no';
  /** The price is for NO when the named member has this value. That member is decoded first. */
  readonly noLegWhen?: { readonly field: string; readonly is: string };
  /** Encoding floors what the form cannot hold. Without it, such a value is a fault. */
  readonly rounding?: 'floor';
}
export interface QtyShape {
  readonly kind: 'qty';
  readonly form: QtyEncoding;
  readonly signed?: true;
}
export interface MoneyShape {
  readonly kind: 'money';
  readonly form: MoneyEncoding;
  /** Encoding floors what the form cannot hold. Without it, such a value is a fault. */
  readonly rounding?: 'floor';
}
export interface TimeShape {
  readonly kind: 'time';
  readonly form: TimeEncoding;
  /** Encoding floors what the form cannot hold. Without it, such a value is a fault. */
  readonly rounding?: 'floor';
}
/** The value of each wire word. Encoding uses the first word of a value. */
export interface EnumForm<V extends string> {
  readonly kind: 'enum';
  readonly values: Readonly<Record<string, V>>;
  /** Set only on an additional spelling. It is encoded for other readers and never decoded. */
  readonly unread?: true;
}
/** (price, count) pairs of one outcome. An absent side is empty. */
export interface LevelsForm {
  readonly kind: 'levels';
  readonly price: PriceEncoding;
  readonly qty: QtyEncoding;
  /** NO prices are converted to the YES scale. */
  readonly leg: 'yes' | 'no';
  readonly omitsEmpty?: true;
}
export interface ListForm<V> {
  readonly kind: 'list';
  readonly of: Form<V>;
  /**
   * An item that cannot be decoded is reported and skipped. Never set for positions, orders and fills, which must be
   * complete.
   */
  readonly skipsFaulty?: true;
  /** In a query string each item is a parameter of its own, and commas have no meaning. */
  readonly repeated?: true;
}
/** An object with arbitrary names, whose values all have one form. */
export interface MapForm<V> {
  readonly kind: 'map';
  readonly of: Form<V>;
}
export interface RecordForm<V> {
  readonly kind: 'record';
  readonly of: RecordSpec<V>;
}

type Name = Ticker | EventTicker | SeriesTicker | TradeId | VenueOrderId;

/** The forms that can hold a value. */
export type Form<V> = [V] extends [Price]
  ? PriceShape
  : [V] extends [Qty]
    ? QtyShape
    : [V] extends [Money]
      ? MoneyShape
      : [V] extends [Micros]
        ? TimeShape
        : [V] extends [number]
          ? IntegerForm | DecimalForm | MeasureForm
          : [V] extends [boolean]
            ? BooleanForm | PresenceForm
            : [V] extends [Name]
              ? NameForm
              : [V] extends [string]
                ? string extends V
                  ? TextForm | NameForm
                  : EnumForm<V>
                : [V] extends [Levels]
                  ? LevelsForm
                  : V extends readonly (infer Item)[]
                    ? ListForm<Item>
                    : V extends ReadonlyMap<string, infer Item>
                      ? MapForm<Item>
                      : RecordForm<V>;

/** The forms that may only accompany another spelling. */
type BesideForm<V> = [V] extends [string] ? IdForm : never;

/** The wire name and form of a value, with its alternative spellings. */
type Placed<V> = Form<V> & {
  readonly wire: string;
  /**
   * Further spellings. All are encoded; decoding takes the first one present, apart from derived ids and `unread`
   * words.
   */
  readonly also?: readonly ((Form<V> | BesideForm<V>) & { readonly wire: string })[];
  /** Spellings that are decoded when no other is present, and never encoded. */
  readonly accepts?: readonly (Form<V> & { readonly wire: string })[];
};

/**
 * The two members that give an order's direction: YES or NO, buy or sell. They are encoded for the record's `outcome`,
 * by default for YES.
 */
export interface LegsField {
  readonly kind: 'legs';
  readonly outcome: string;
  readonly action: string;
}
/**
 * The outcome that the order names. It is decoded from the wire's outcome member, and encoded as part of the
 * `LegsField`.
 */
export interface OutcomeField {
  readonly kind: 'named-outcome';
  readonly wire: string;
}
/** A record whose members are inlined among those of the enclosing record. */
export interface InlineField<V> {
  readonly kind: 'inline';
  readonly of: RecordSpec<V>;
}
/** A member that this dialect does not carry. */
export interface AbsentField {
  readonly kind: 'absent';
}

/**
 * `blank`: a text that encodes `null` in both directions; `true` means the empty text. `asNull`: `null` is encoded as
 * JSON `null` instead of being left out.
 */
type MayBeMissing = { readonly optional: true; readonly blank?: true | string; readonly asNull?: true };

type RequiredField<V> =
  | Placed<V>
  | ([V] extends [Side] ? LegsField : never)
  | ([V] extends [Outcome] ? OutcomeField : never)
  | (V extends object ? InlineField<V> : never);

/** An inline record that may be missing: then none of its members is present. */
type MaybeInline<V> = V extends object ? InlineField<V> & { readonly optional: true } : never;

/** The wire format of a member. A nullable member may be optional. */
export type Field<V> = null extends V
  ? RequiredField<NonNullable<V>> | (Placed<NonNullable<V>> & MayBeMissing) | MaybeInline<NonNullable<V>> | AbsentField
  : RequiredField<V>;

/** The wire format of a record. */
export interface RecordSpec<T> {
  /** The record's name in error messages. */
  readonly name: string;
  readonly fields: { readonly [Key in keyof T]: Field<T[Key]> };
  /** Members with a fixed value. Any other value is refused. */
  readonly constants?: Readonly<Record<string, string | number | boolean>>;
  /** Members that we do not use but other readers expect: encoded with these values, ignored when decoding. */
  readonly filler?: Readonly<Record<string, JsonValue>>;
  /** Members that we do not use. They are not reported as unknown. */
  readonly ignored?: readonly string[];
}

/** Any value of JSON. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Any form, for code that works on all of them. */
export type AnyForm =
  | TextForm
  | NameForm
  | BooleanForm
  | IntegerForm
  | DecimalForm
  | MeasureForm
  | PresenceForm
  | PriceShape
  | QtyShape
  | MoneyShape
  | TimeShape
  | EnumForm<string>
  | LevelsForm
  | IdForm
  | { readonly kind: 'list'; readonly of: AnyForm; readonly skipsFaulty?: true; readonly repeated?: true }
  | { readonly kind: 'map'; readonly of: AnyForm }
  | { readonly kind: 'record'; readonly of: AnySpec };

export type AnyWireField = AnyForm & {
  readonly wire: string;
  readonly also?: readonly (AnyForm & { readonly wire: string })[];
  readonly accepts?: readonly (AnyForm & { readonly wire: string })[];
  readonly optional?: true;
  readonly blank?: true | string;
  readonly asNull?: true;
};
export type AnyField =
  | AnyWireField
  | LegsField
  | OutcomeField
  | { readonly kind: 'inline'; readonly of: AnySpec; readonly optional?: true }
  | AbsentField;

/** True when a member has wire names of its own. */
export const isWireField = (field: AnyField) =>
  field.kind !== 'absent' && field.kind !== 'inline' && field.kind !== 'legs' && field.kind !== 'named-outcome';

/** Any record's spec, for code that works on all of them. */
export interface AnySpec {
  readonly name: string;
  readonly fields: Readonly<Record<string, AnyField>>;
  readonly constants?: Readonly<Record<string, string | number | boolean>>;
  readonly filler?: Readonly<Record<string, JsonValue>>;
  readonly ignored?: readonly string[];
}
