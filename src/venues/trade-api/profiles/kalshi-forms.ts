// The forms of single fields of the `kalshi` dialect: dollars and counts as decimal texts, sides on one book of YES.
// Data only.
import type { Side } from '../../../domain/orders/order.ts';
import type { Micros, Money, Price, Qty } from '../../../domain/units.ts';
import type { Field } from '../wire/record-spec.ts';
import { absent, maybeInteger, maybeText } from './service-forms.ts';

export const dollars = (wire: string) => ({ kind: 'price', form: 'dollars', wire }) as const satisfies Field<Price>;
export const maybeDollars = (wire: string) =>
  ({ ...dollars(wire), optional: true }) as const satisfies Field<Price | null>;
/** A price that the wire sends as zero when there is none. */
export const dollarsOrZero = (wire: string) =>
  ({ ...maybeDollars(wire), blank: '0.0000' }) as const satisfies Field<Price | null>;
/** A YES price, accompanied by the NO price. */
export const bothDollars = (yes: string, no: string) =>
  ({
    ...dollars(yes),
    also: [{ kind: 'price', form: 'dollars', wire: no, leg: 'no' }],
  }) as const satisfies Field<Price>;
export const maybeBothDollars = (yes: string, no: string) =>
  ({ ...bothDollars(yes, no), optional: true }) as const satisfies Field<Price | null>;

export const decimals = (wire: string) => ({ kind: 'qty', form: 'decimal', wire }) as const satisfies Field<Qty>;
export const maybeDecimals = (wire: string) =>
  ({ ...decimals(wire), optional: true }) as const satisfies Field<Qty | null>;
export const signedDecimals = (wire: string) => ({ ...decimals(wire), signed: true }) as const satisfies Field<Qty>;
export const maybeSignedDecimals = (wire: string) =>
  ({ ...signedDecimals(wire), optional: true }) as const satisfies Field<Qty | null>;

export const cash = (wire: string) => ({ kind: 'money', form: 'dollars', wire }) as const satisfies Field<Money>;
export const maybeCash = (wire: string) => ({ ...cash(wire), optional: true }) as const satisfies Field<Money | null>;
/** An average price or fee per contract: four decimals, rounded down. */
export const average = (wire: string) =>
  ({ kind: 'money', form: 'dollars4', wire, rounding: 'floor', optional: true }) as const satisfies Field<Money | null>;

/** A time in milliseconds, which may be missing. */
export const maybeMillis = (wire: string) =>
  ({ kind: 'time', form: 'millis', wire, rounding: 'floor', optional: true }) as const satisfies Field<Micros | null>;
/** A time as text, accompanied by milliseconds. */
export const timeAndMillis = (wire: string, millis: string) =>
  ({
    kind: 'time',
    form: 'rfc3339',
    wire,
    also: [{ kind: 'time', form: 'millis', wire: millis, rounding: 'floor' }],
    optional: true,
  }) as const satisfies Field<Micros | null>;

/** The market's ticker, accompanied by an id derived from it. */
export const namedMarket = {
  kind: 'name',
  wire: 'market_ticker',
  also: [{ kind: 'name-id', wire: 'market_id' }],
} as const;

const OUTCOMES = { yes: 'buy', no: 'sell' } as const;
const BOOK_SIDES = { bid: 'buy', ask: 'sell' } as const;
/** The side of a new order, on the single book. */
export const bookSide = { kind: 'enum', values: BOOK_SIDES, wire: 'side' } as const satisfies Field<Side>;
/**
 * The side of an order or a fill: as the side of the book, and as the acquired outcome. The older member `action` is
 * never decoded. It applies to the outcome in `side`, which the local exchange always sends as `yes` (`OF_YES`).
 */
export const ownSide = {
  kind: 'enum',
  values: BOOK_SIDES,
  wire: 'book_side',
  also: [
    { kind: 'enum', values: OUTCOMES, wire: 'outcome_side' },
    { kind: 'enum', values: { buy: 'buy', sell: 'sell' }, wire: 'action', unread: true },
  ],
} as const satisfies Field<Side>;
export const OF_YES = { side: 'yes' } as const;
/** The taker's side of a trade. */
export const takerSide = {
  kind: 'enum',
  values: OUTCOMES,
  wire: 'taker_outcome_side',
  also: [
    { kind: 'enum', values: BOOK_SIDES, wire: 'taker_book_side' },
    { kind: 'enum', values: OUTCOMES, wire: 'taker_side' },
  ],
} as const satisfies Field<Side>;

/** The subaccount and the shard. */
export const place = { subaccount: maybeInteger('subaccount'), shard: maybeInteger('exchange_index') } as const;
export const rowPlace = { ...place, subaccount: maybeInteger('subaccount_number') } as const;
export const shardOnly = { subaccount: absent, shard: maybeInteger('exchange_index') } as const;

export const cursor = { ...maybeText('cursor'), blank: true } as const;
/** The user id. The local exchange assigns none. */
export const USER = { user_id: '00000000-0000-0000-0000-000000000000' } as const;
