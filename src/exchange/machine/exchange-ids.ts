// Ids issued by the exchange: UUIDs made of a salt, a kind and a count, so that a replay issues the same ids. Must
// never draw a random number.
import { type TradeId, type VenueOrderId, tradeId, venueOrderId } from '../../domain/ids.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True when a text has the shape of a UUID, as the ids of this exchange do. */
export const isUuid = (text: string): boolean => UUID.test(text);

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Formats a UUID of version 8, whose contents RFC 9562 leaves to the implementer. */
const uuid = (salt: number, kind: number, count: number): string =>
  `${hex(salt >>> 0, 8)}-${hex(kind, 4)}-8000-8000-${hex(count, 12)}`;

export const orderIdOf = (salt: number, count: number): VenueOrderId => venueOrderId(uuid(salt, 1, count));
export const orderGroupIdOf = (salt: number, count: number): string => uuid(salt, 3, count);
export const transferIdOf = (salt: number, count: number): string => uuid(salt, 4, count);
export const feeChangeIdOf = (salt: number, count: number): string => uuid(salt, 5, count);
export const tradeIdOf = (salt: number, count: number): TradeId => tradeId(uuid(salt, 2, count));
