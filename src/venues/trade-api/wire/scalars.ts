// Decodes and encodes single values exactly. A value that a form cannot hold is a fault or, with `rounding`, rounded
// down. Must never pass a price, a quantity or money through floating point.
import {
  MONEY_DECIMALS,
  MONEY_PER_CENT,
  type Micros,
  PAYOUT,
  PRICE_DECIMALS,
  PRICE_PER_CENT,
  QTY_DECIMALS,
  QTY_PER_CONTRACT,
  formatScaled,
  mulDivFloor,
  parseScaled,
} from '../../../domain/units.ts';
import { type JsonType, anyJson, booleanJson, integerJson, nameJson, numberJson, textJson } from './json-type.ts';
import { WireFault } from './wire-fault.ts';
import { idOfName } from './name-id.ts';
import type {
  AnyForm,
  DecimalForm,
  EnumForm,
  MoneyShape,
  PriceEncoding,
  PriceShape,
  QtyEncoding,
  QtyShape,
  TimeShape,
} from './record-spec.ts';
import { formatTime, parseTime } from './wire-time.ts';

/** The place of a value, for faults. */
export interface FaultPlace {
  readonly record: string;
  readonly field: string;
}

/** Decodes and encodes one kind of value. `decode` gets a value that `raw` has accepted. */
export interface Scalar {
  readonly raw: JsonType;
  decode(found: unknown, place: FaultPlace): unknown;
  encode(value: unknown, place: FaultPlace): unknown;
}

/** Builds a fault. */
export const faultAt = (place: FaultPlace, expected: string, found: unknown): WireFault =>
  new WireFault({ ...place, expected, found });

/** The scalar of a form that holds one value. */
export function scalarOf(form: Exclude<AnyForm, { kind: 'list' | 'map' | 'record' | 'levels' }>): Scalar {
  switch (form.kind) {
    case 'text':
      return plain(textJson);
    case 'name':
      return plain(nameJson);
    case 'name-id':
      return { ...plain(anyJson), encode: (value) => idOfName(String(value)) };
    case 'boolean':
      return plain(booleanJson);
    case 'integer':
      return plain(integerJson);
    case 'decimal':
      return decimalScalar(form);
    case 'measure':
      return { ...plain(anyJson), decode: (found) => (Number.isFinite(found) ? found : null) };
    case 'presence':
      return { ...plain(anyJson), decode: () => true };
    case 'price':
      return { raw: form.form === 'cents' ? integerJson : textJson, ...priceScalar(form.form, form.rounding) };
    case 'qty':
      return qtyScalar(form);
    case 'money':
      return moneyScalar(form);
    case 'time':
      return timeScalar(form);
    case 'enum':
      return enumScalar(form);
  }
}

const plain = (raw: JsonType): Scalar => ({ raw, decode: (found) => found, encode: (value) => value });

/** A schema or a type has already checked that the value is a number. */
const asNumber = (value: unknown): number => Number(value);

function decimalScalar({ decimals }: DecimalForm): Scalar {
  return {
    raw: numberJson,
    decode(found, place) {
      // The shortest decimal text of a JSON number is what the venue wrote.
      const value = parseScaled(String(found), decimals);
      if (value === null) throw faultAt(place, `a number with at most ${decimals} decimals`, found);
      return value;
    },
    encode: (value) => Number(formatScaled(asNumber(value), decimals)),
  };
}

/** Decodes and encodes prices as the wire gives them, without conversion to the YES scale. */
export function priceScalar(form: PriceEncoding, rounding?: PriceShape['rounding']): Pick<Scalar, 'decode' | 'encode'> {
  if (form === 'dollars') {
    return {
      decode(found, place) {
        const value = parseScaled(String(found), PRICE_DECIMALS);
        if (value === null || value < 0 || value > PAYOUT)
          throw faultAt(place, 'dollars from "0.0000" to "1.0000"', found);
        return value;
      },
      encode: (value) => formatScaled(asNumber(value), PRICE_DECIMALS),
    };
  }
  return {
    decode(found, place) {
      const value = asNumber(found) * PRICE_PER_CENT + 0;
      if (!Number.isInteger(value) || value < 0 || value > PAYOUT) throw faultAt(place, 'whole cents, 0 to 100', found);
      return value;
    },
    encode(value, place) {
      const price = asNumber(value);
      if (rounding === undefined && price % PRICE_PER_CENT !== 0)
        throw faultAt(place, 'a whole number of cents', formatScaled(price, PRICE_DECIMALS));
      return mulDivFloor(price, 1, PRICE_PER_CENT);
    },
  };
}

/** Decodes and encodes quantities of either sign. */
export function countScalar(form: QtyEncoding): Pick<Scalar, 'decode' | 'encode'> {
  if (form === 'decimal') {
    return {
      decode(found, place) {
        const value = parseScaled(String(found), QTY_DECIMALS);
        if (value === null) throw faultAt(place, 'a count with at most two decimals, as text', found);
        return value;
      },
      encode: (value) => formatScaled(asNumber(value), QTY_DECIMALS),
    };
  }
  return {
    decode(found, place) {
      const value = asNumber(found) * QTY_PER_CONTRACT + 0;
      if (!Number.isSafeInteger(value)) throw faultAt(place, 'a whole number of contracts', found);
      return value;
    },
    encode(value, place) {
      const qty = asNumber(value);
      if (qty % QTY_PER_CONTRACT !== 0)
        throw faultAt(place, 'a whole number of contracts', formatScaled(qty, QTY_DECIMALS));
      return qty / QTY_PER_CONTRACT;
    },
  };
}

function qtyScalar({ form, signed }: QtyShape): Scalar {
  const count = countScalar(form);
  return {
    raw: form === 'contracts' ? integerJson : textJson,
    decode(found, place) {
      const value = count.decode(found, place);
      if (signed !== true && asNumber(value) < 0) throw faultAt(place, 'a count that is not negative', found);
      return value;
    },
    encode: count.encode,
  };
}

/** For each form: our money units in one wire unit, decimals of a dollar, and the values it can hold. */
const MONEY_FORMS = {
  cents: { each: MONEY_PER_CENT, decimals: 2, exact: 'a whole number of cents' },
  centicents: { each: MONEY_PER_CENT / 100, decimals: 4, exact: 'a whole number of hundredths of a cent' },
  dollars: { each: 1, decimals: MONEY_DECIMALS, exact: 'dollars with at most six decimals' },
  dollars4: { each: MONEY_PER_CENT / 100, decimals: 4, exact: 'dollars with at most four decimals' },
} as const;

function moneyScalar({ form, rounding }: MoneyShape): Scalar {
  const { each, decimals, exact } = MONEY_FORMS[form];
  const scaled = (value: unknown, place: FaultPlace): number => {
    const amount = asNumber(value);
    if (rounding === undefined && amount % each !== 0)
      throw faultAt(place, exact, formatScaled(amount, MONEY_DECIMALS));
    return mulDivFloor(amount, 1, each);
  };
  if (form === 'dollars' || form === 'dollars4') {
    return {
      raw: textJson,
      // A venue that writes four decimals may also send more.
      decode(found, place) {
        const value = parseScaled(String(found), MONEY_DECIMALS);
        if (value === null) throw faultAt(place, 'dollars with at most six decimals, as text', found);
        return value;
      },
      encode: (value, place) => formatScaled(scaled(value, place), decimals),
    };
  }
  return {
    raw: integerJson,
    decode(found, place) {
      const value = asNumber(found) * each + 0;
      if (!Number.isSafeInteger(value))
        throw faultAt(place, form === 'cents' ? 'cents' : 'hundredths of a cent', found);
      return value;
    },
    encode: scaled,
  };
}

const MICROS_EACH = { seconds: 1_000_000, millis: 1000, micros: 1, rfc3339: 1 } as const;

/** Microseconds in one unit of a time's form. */
export const microsPerUnit = ({ form }: TimeShape): number => MICROS_EACH[form];

function timeScalar({ form, rounding }: TimeShape): Scalar {
  if (form === 'rfc3339') {
    return {
      raw: textJson,
      decode(found, place) {
        const value = parseTime(String(found));
        if (value === null) throw faultAt(place, 'a time in RFC 3339', found);
        return value;
      },
      // The spec's types guarantee that the value is a time of ours.
      encode: (value) => formatTime(value as Micros),
    };
  }
  const each = MICROS_EACH[form];
  return {
    raw: integerJson,
    decode(found, place) {
      const value = asNumber(found) * each + 0;
      if (!Number.isSafeInteger(value)) throw faultAt(place, `a time in ${form}`, found);
      return value;
    },
    encode(value, place) {
      const at = asNumber(value);
      if (rounding === undefined && at % each !== 0) throw faultAt(place, `a time in whole ${form}`, `${at} µs`);
      return mulDivFloor(at, 1, each);
    },
  };
}

/**
 * An unknown word, which the venue may have added, is a fault here. An optional member decodes such a word as `null`.
 */
function enumScalar({ values }: EnumForm<string>): Scalar {
  const valueByWord = new Map(Object.entries(values));
  const wordByValue = new Map(
    Object.entries(values)
      .toReversed()
      .map(([word, value]) => [value, word]),
  );
  const expected = `one of ${[...valueByWord.keys()].join(', ')}`;
  return {
    raw: textJson,
    decode(found, place) {
      const value = valueByWord.get(String(found));
      if (value === undefined) throw faultAt(place, expected, found);
      return value;
    },
    encode(value, place) {
      const word = wordByValue.get(String(value));
      if (word === undefined) throw faultAt(place, `one of ${[...wordByValue.keys()].join(', ')}`, value);
      return word;
    },
  };
}
