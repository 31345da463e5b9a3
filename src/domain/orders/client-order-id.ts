// The client order id: `session-place-number`. `place` is the index of the strategy in the config of its session. Only
// the session's list of strategies gives the name. Must never be parsed anywhere else.
import { type ClientOrderId, type StrategyName, type VenueOrderId, clientOrderId } from '../ids.ts';
import { type Micros, micros } from '../units.ts';

/** The parts of a client order id. */
export interface ClientOrderIdParts {
  /** The session that minted it, as `sessionName` names it. */
  readonly session: string;
  /** Index of the strategy in its session's list, from 0. The operator's orders have the next index after the last. */
  readonly place: number;
  /** Count of the ids that the session had minted, this one included. */
  readonly number: number;
}

/** A session and its strategies. The index of a strategy is its `place` in order ids. */
export interface SessionStrategies {
  readonly session: string;
  readonly strategies: readonly StrategyName[];
}

const FORM = /^([0-9a-z]+)-(\d{1,6})-([0-9a-z]{1,10})$/;
const RADIX = 36;

/**
 * Bounds on the start of a session, in microseconds: the beginning of 2020 and of 2100. An id of another program may
 * have our form, but does not begin with such a time.
 */
const BEGAN_MIN = 1_577_836_800_000_000;
const BEGAN_MAX = 4_102_444_800_000_000;

/** The name of a session that starts at a time. */
export const sessionName = (began: Micros): string => began.toString(RADIX);

/**
 * The time a session started, by the clock of its own machine; `null` when the text cannot be the name of a session.
 */
export function sessionStartedAt(session: string): Micros | null {
  const began = Number.parseInt(session, RADIX);
  const isName = began >= BEGAN_MIN && began < BEGAN_MAX && began.toString(RADIX) === session;
  return isName ? micros(began) : null;
}

/** Mints an id. */
export const mintClientOrderId = ({ session, place, number }: ClientOrderIdParts): ClientOrderId =>
  clientOrderId(`${session}-${place}-${number.toString(RADIX)}`);

/**
 * Mints the id of an order that the doctor places. No session takes such an order for its own. `at` and `number` keep
 * the ids apart.
 */
export const mintDoctorOrderId = (at: Micros, number: number): ClientOrderId =>
  clientOrderId(`doctor-${at.toString(RADIX)}-${number}`);

/** Parses an id; `null` when it is missing or has another form. */
export function parseClientOrderId(id: string | null): ClientOrderIdParts | null {
  const [, session, place, number] = FORM.exec(id ?? '') ?? [];
  if (session === undefined || place === undefined || number === undefined) return null;
  return { session, place: Number(place), number: Number.parseInt(number, RADIX) };
}

/** The session that minted an id; `null` when no session of Presage can have minted it. */
export function sessionOfOrderId(id: string | null): string | null {
  const session = parseClientOrderId(id)?.session ?? null;
  return session === null || sessionStartedAt(session) === null ? null : session;
}

/** True when the session minted the id. */
export const isMintedBySession = (session: string, id: string | null): boolean =>
  parseClientOrderId(id)?.session === session;

/** The strategy that placed the order; `null` when the id belongs to another session or to no strategy. */
export function strategyOfOrderId(id: string | null, sessions: readonly SessionStrategies[]): StrategyName | null {
  const name = parseClientOrderId(id);
  if (name === null) return null;
  return sessions.find(({ session }) => session === name.session)?.strategies[name.place] ?? null;
}

/** The client order id recorded for an order that has none: the venue's id with a prefix. */
export const clientIdFromVenue = (id: VenueOrderId): ClientOrderId => clientOrderId(`venue:${id}`);
