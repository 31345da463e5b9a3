// How a record is spelled on the wire, as data: for each of its members, the wire's name and form.
// The types tie every spelling to the member it spells; one spelling serves both directions and both ends.
import type { EventTicker, SeriesTicker, Ticker, TradeId, VenueOrderId } from '../../../domain/ids.ts';
import type { Levels } from '../../../domain/event.ts';
import type { Outcome } from '../../../domain/market.ts';
import type { Side } from '../../../domain/order.ts';
import type { Micros, Money, Price, Qty } from '../../../domain/units.ts';

/** Whole cents as a JSON integer, or dollars as a decimal string. */
export type PriceForm = 'cents' | 'dollars';
/** Whole contracts as a JSON integer, or a string with two decimals. */
export type QtyForm = 'contracts' | 'decimal';
/**
 * Whole cents or hundredths of them as a JSON integer; dollars as a decimal string, with six decimals or with four.
 */
export type MoneyForm = 'cents' | 'centicents' | 'dollars' | 'dollars4';
export type TimeForm = 'seconds' | 'millis' | 'micros' | 'rfc3339';

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
/** A JSON number with a few decimals, held as an integer of that many. */
export interface DecimalForm {
  readonly kind: 'decimal';
  readonly decimals: number;
}
/** A JSON number that is only ever compared; anything else there counts as not said. */
export interface MeasureForm {
  readonly kind: 'measure';
}
/** Whether anything stands there at all. */
export interface PresenceForm {
  readonly kind: 'presence';
}
/** A UUID made of the text, the same for the same text. It stands beside another spelling, and is never read. */
export interface IdForm {
  readonly kind: 'name-id';
}
export interface PriceShape {
  readonly kind: 'price';
  readonly form: PriceForm;
  /** The price is of this leg; one of NO is turned to the YES scale. YES where it is not said. */
  readonly leg?: 'yes' | 'no';
  /** The price is of the NO leg when another member of the record, read before this one, has this value. */
  readonly noLegWhen?: { readonly field: string; readonly is: string };
}
export interface QtyShape {
  readonly kind: 'qty';
  readonly form: QtyForm;
  /** Negative quantities are meant: a change, a position. */
  readonly signed?: true;
}
export interface MoneyShape {
  readonly kind: 'money';
  readonly form: MoneyForm;
  /** What the form cannot hold is floored on writing; without this it is a fault. */
  readonly rounding?: 'floor';
}
export interface TimeShape {
  readonly kind: 'time';
  readonly form: TimeForm;
  /** What the form cannot hold is floored on writing; without this it is a fault. */
  readonly rounding?: 'floor';
}
/** Wire word → value. The first word of a value is the one written. */
export interface EnumForm<V extends string> {
  readonly kind: 'enum';
  readonly values: Readonly<Record<string, V>>;
  /** Only beside another spelling: written for others, and passed over on reading. */
  readonly unread?: true;
}
/** (price, count) pairs of one leg. A side that is absent is empty. */
export interface LevelsForm {
  readonly kind: 'levels';
  readonly price: PriceForm;
  readonly qty: QtyForm;
  /** Prices of NO are turned to the YES scale. */
  readonly leg: 'yes' | 'no';
  /** An empty side is left out on writing. */
  readonly omitsEmpty?: true;
}
export interface ListForm<V> {
  readonly kind: 'list';
  readonly of: Form<V>;
  /** An item that cannot be read is noted and left out. Never for what is ours: a list of ours is whole or nothing. */
  readonly skipsFaulty?: true;
  /** In a query string each item is a parameter of its own, and commas mean nothing. */
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

/** The forms that can spell a value. */
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

/** The forms in which a value may stand beside another spelling of it only. */
type BesideForm<V> = [V] extends [string] ? IdForm : never;

/** Where a value stands in its record, and in what other spellings it stands there too. */
type Placed<V> = Form<V> & {
  readonly wire: string;
  /** Further spellings: all are written; on reading, the first one present counts. */
  readonly also?: readonly ((Form<V> | BesideForm<V>) & { readonly wire: string })[];
  /** Spellings that are read where none of the others is there, and never written. */
  readonly accepts?: readonly (Form<V> & { readonly wire: string })[];
};

/**
 * The two members that say which way an order goes: of YES or NO, bought or sold. They are written of the outcome that the
 * record's `outcome` names, and of YES where it names none.
 */
export interface LegsField {
  readonly kind: 'legs';
  readonly outcome: string;
  readonly action: string;
}
/** The outcome that the legs of the record name, on the wire's member of theirs: read here, written with them. */
export interface NamedOutcomeField {
  readonly kind: 'named-outcome';
  readonly wire: string;
}
/** A record whose members stand among those of the record it belongs to. */
export interface InlineField<V> {
  readonly kind: 'inline';
  readonly of: RecordSpec<V>;
}
/** A member that this dialect never says. */
export interface AbsentField {
  readonly kind: 'absent';
}

/**
 * `blank`: a text that stands for nothing, on the wire in both directions: the empty one where it is `true`.
 * `asNull`: nothing is written as `null`.
 */
type MayBeMissing = { readonly optional: true; readonly blank?: true | string; readonly asNull?: true };

type RequiredField<V> =
  | Placed<V>
  | ([V] extends [Side] ? LegsField : never)
  | ([V] extends [Outcome] ? NamedOutcomeField : never)
  | (V extends object ? InlineField<V> : never);

/** A record among the members of another that may be missing: none of its members is there then. */
type MaybeInline<V> = V extends object ? InlineField<V> & { readonly optional: true } : never;

/** The spellings of a member. One that may be `null` may be missing. */
export type Field<V> = null extends V
  ? RequiredField<NonNullable<V>> | (Placed<NonNullable<V>> & MayBeMissing) | MaybeInline<NonNullable<V>> | AbsentField
  : RequiredField<V>;

/** The spelling of a record. */
export interface RecordSpec<T> {
  /** What errors call it. */
  readonly name: string;
  readonly fields: { readonly [Key in keyof T]: Field<T[Key]> };
  /** Members written as they stand here, and refused with any other value. */
  readonly constants?: Readonly<Record<string, string | number | boolean>>;
  /** Members that others expect and that mean nothing to us: written as they stand here, passed over on reading. */
  readonly filler?: Readonly<Record<string, JsonValue>>;
  /** Members that may come and mean nothing to us: not counted as unknown. */
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

export type AnyPlaced = AnyForm & {
  readonly wire: string;
  readonly also?: readonly (AnyForm & { readonly wire: string })[];
  readonly accepts?: readonly (AnyForm & { readonly wire: string })[];
  readonly optional?: true;
  readonly blank?: true | string;
  readonly asNull?: true;
};
export type AnyField =
  | AnyPlaced
  | LegsField
  | NamedOutcomeField
  | { readonly kind: 'inline'; readonly of: AnySpec; readonly optional?: true }
  | AbsentField;

/** Whether a member stands under names of its own on the wire. */
export const isPlaced = (field: AnyField): field is AnyPlaced =>
  field.kind !== 'absent' && field.kind !== 'inline' && field.kind !== 'legs' && field.kind !== 'named-outcome';

/** Any record's spelling, for code that works on all of them. */
export interface AnySpec {
  readonly name: string;
  readonly fields: Readonly<Record<string, AnyField>>;
  readonly constants?: Readonly<Record<string, string | number | boolean>>;
  readonly filler?: Readonly<Record<string, JsonValue>>;
  readonly ignored?: readonly string[];
}
