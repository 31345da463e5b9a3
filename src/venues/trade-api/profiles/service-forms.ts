// Single values of the `service` dialect: whole cents, whole contracts, exact dollar strings accompanied by floored
// cents. Data only.
import type { Levels } from '../../../domain/event.ts';
import type { Outcome } from '../../../domain/market.ts';
import type { Side } from '../../../domain/orders/order.ts';
import type { Field, RecordSpec } from '../wire/record-spec.ts';
import type { Micros, Money, Price, Qty } from '../../../domain/units.ts';
import type { RangeRecord } from '../wire/wire-records.ts';

export const text = (wire: string) => ({ kind: 'text', wire }) as const;
export const maybeText = (wire: string) => ({ kind: 'text', wire, optional: true }) as const;
export const name = (wire: string) => ({ kind: 'name', wire }) as const;
export const maybeName = (wire: string) => ({ kind: 'name', wire, optional: true }) as const;
export const flag = (wire: string) => ({ kind: 'boolean', wire }) as const;
export const maybeFlag = (wire: string) => ({ kind: 'boolean', wire, optional: true }) as const;
export const integer = (wire: string) => ({ kind: 'integer', wire }) as const;
export const maybeInteger = (wire: string) => ({ kind: 'integer', wire, optional: true }) as const;
export const names = (wire: string) => ({ kind: 'list', of: { kind: 'name' }, wire, optional: true }) as const;
export const absent = { kind: 'absent' } as const;

/** A YES price, accompanied by the NO price under another name. */
export const bothPrices = (yes: string, no: string) =>
  ({ kind: 'price', form: 'cents', wire: yes, also: [{ kind: 'price', form: 'cents', wire: no, leg: 'no' }] }) as const;
/** A YES price, or a NO price instead. */
export const eitherPrice = (yes: string, no: string) =>
  ({
    kind: 'price',
    form: 'cents',
    wire: yes,
    accepts: [{ kind: 'price', form: 'cents', wire: no, leg: 'no' }],
  }) as const satisfies Field<Price>;
export const maybeBothPrices = (yes: string, no: string) => ({ ...bothPrices(yes, no), optional: true }) as const;
export const price = (wire: string) => ({ kind: 'price', form: 'cents', wire }) as const satisfies Field<Price>;
export const maybePrice = (wire: string) => ({ ...price(wire), optional: true }) as const satisfies Field<Price | null>;

/** A price in whole cents of a result that may be a fraction of a cent. */
export const maybeFlooredPrice = (wire: string) =>
  ({ ...maybePrice(wire), rounding: 'floor' }) as const satisfies Field<Price | null>;

export const count = (wire: string) => ({ kind: 'qty', form: 'contracts', wire }) as const satisfies Field<Qty>;
export const signedCount = (wire: string) => ({ ...count(wire), signed: true }) as const satisfies Field<Qty>;
export const maybeCount = (wire: string) => ({ ...count(wire), optional: true }) as const satisfies Field<Qty | null>;
export const maybeSignedCount = (wire: string) =>
  ({ ...signedCount(wire), optional: true }) as const satisfies Field<Qty | null>;

/** Exact dollars, accompanied by floored cents. */
export const cash = (wire: string) =>
  ({
    kind: 'money',
    form: 'dollars',
    wire: `${wire}_dollars`,
    also: [{ kind: 'money', form: 'cents', wire, rounding: 'floor' }],
  }) as const satisfies Field<Money>;
export const maybeCash = (wire: string) => ({ ...cash(wire), optional: true }) as const satisfies Field<Money | null>;
/** Exact dollars alone. */
export const fee = (wire: string) => ({ kind: 'money', form: 'dollars', wire }) as const satisfies Field<Money>;

export const time = (wire: string) => ({ kind: 'time', form: 'rfc3339', wire }) as const satisfies Field<Micros>;
export const maybeTime = (wire: string) => ({ ...time(wire), optional: true }) as const satisfies Field<Micros | null>;
export const seconds = (wire: string) =>
  ({ kind: 'time', form: 'seconds', wire, rounding: 'floor' }) as const satisfies Field<Micros>;
export const maybeSeconds = (wire: string) =>
  ({ ...seconds(wire), optional: true }) as const satisfies Field<Micros | null>;
/** Milliseconds, accompanied by whole seconds. */
export const stamp = (wire: string) =>
  ({
    kind: 'time',
    form: 'millis',
    wire: `${wire}_ms`,
    rounding: 'floor',
    also: [{ kind: 'time', form: 'seconds', wire, rounding: 'floor' }],
    optional: true,
  }) as const satisfies Field<Micros | null>;

export const legs = { kind: 'legs', outcome: 'side', action: 'action' } as const satisfies Field<Side>;
/** The outcome in the member `side`, which `legs` reads together with `action`. */
export const namedOutcome = { kind: 'named-outcome', wire: 'side' } as const satisfies Field<Outcome>;
/** The outcome that the taker bought, as a side of the YES book. */
export const takerSide = {
  kind: 'enum',
  values: { yes: 'buy', no: 'sell' },
  wire: 'taker_side',
} as const satisfies Field<Side>;

export const levels = (wire: string, leg: 'yes' | 'no') =>
  ({ kind: 'levels', price: 'cents', qty: 'contracts', leg, wire }) as const satisfies Field<Levels>;

/** A range of a price grid. Steps can be finer than a cent, so ranges are in dollars. */
export const range: RecordSpec<RangeRecord> = {
  name: 'price_range',
  fields: {
    start: { kind: 'price', form: 'dollars', wire: 'start' },
    end: { kind: 'price', form: 'dollars', wire: 'end' },
    step: { kind: 'price', form: 'dollars', wire: 'step' },
  },
};
export const ranges = (wire: string) =>
  ({ kind: 'list', of: { kind: 'record', of: range }, wire, optional: true }) as const;
export const result = (wire: string) =>
  ({ kind: 'enum', values: { yes: 'yes', no: 'no', scalar: 'scalar' }, wire }) as const;
