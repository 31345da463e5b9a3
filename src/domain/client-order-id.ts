// The client order id: `session-place-number`, minted before an order's first byte leaves and read back wherever one is
// met. The place is that of the strategy in its own session's config, so only that session's list of strategies names it.
// Must never be taken apart anywhere else.
import { type ClientOrderId, type StrategyName, type VenueOrderId, clientOrderId } from './ids.ts';
import { type Micros, micros } from './units.ts';

/** What a client order id says. */
export interface OrderName {
  /** The session that minted it, as `sessionName` names it. */
  readonly session: string;
  /** The place of the strategy among those of its session, from 0; one more than the last for the operator's orders. */
  readonly place: number;
  /** How many orders that session had minted, this one included. */
  readonly number: number;
}

/** A session and its strategies, by their places in its orders' ids. */
export interface SessionStrategies {
  readonly session: string;
  readonly strategies: readonly StrategyName[];
}

const FORM = /^([0-9a-z]+)-(\d{1,6})-([0-9a-z]{1,10})$/;
const RADIX = 36;

/**
 * The beginnings of 2020 and of 2100, in microseconds. A session begins between them: ids of other programs may have our
 * form, and do not begin with such a time.
 */
const BEGAN_MIN = 1_577_836_800_000_000;
const BEGAN_MAX = 4_102_444_800_000_000;

/** The name of a session that begins at a time: every session has one of its own. */
export const sessionName = (began: Micros): string => began.toString(RADIX);

/** When a session began, by the clock of its own machine; `null` for what cannot be the name of a session. */
export function sessionBegan(session: string): Micros | null {
  const began = Number.parseInt(session, RADIX);
  const isName = began >= BEGAN_MIN && began < BEGAN_MAX && began.toString(RADIX) === session;
  return isName ? micros(began) : null;
}

/** Mints an id. */
export const mintClientOrderId = ({ session, place, number }: OrderName): ClientOrderId =>
  clientOrderId(`${session}-${place}-${number.toString(RADIX)}`);

/** Reads an id; `null` for one that is missing or has another form. */
export function parseClientOrderId(id: string | null): OrderName | null {
  const [, session, place, number] = FORM.exec(id ?? '') ?? [];
  if (session === undefined || place === undefined || number === undefined) return null;
  return { session, place: Number(place), number: Number.parseInt(number, RADIX) };
}

/** The session that minted an id; `null` where no session of Presage can have. */
export function sessionOf(id: string | null): string | null {
  const session = parseClientOrderId(id)?.session ?? null;
  return session === null || sessionBegan(session) === null ? null : session;
}

/** Whether a session minted an id. */
export const isOfSession = (session: string, id: string | null): boolean => parseClientOrderId(id)?.session === session;

/** The strategy whose order has an id; `null` where its session is none of these, or no strategy placed the order. */
export function strategyOf(id: string | null, sessions: readonly SessionStrategies[]): StrategyName | null {
  const name = parseClientOrderId(id);
  if (name === null) return null;
  return sessions.find(({ session }) => session === name.session)?.strategies[name.place] ?? null;
}

/** What stands for the client order id of an order that has none: the venue's own name of it. */
export const clientIdFromVenue = (id: VenueOrderId): ClientOrderId => clientOrderId(`venue:${id}`);
