// Tables of the history. Facts come from the journal; derived rows are made from the facts, again after each new fact.
// `…_us` is in microseconds of UTC, and `…_micros` in millionths of a dollar. `price` is in ten-thousandths of a
// dollar, and `qty` in hundredths of a contract. Must never hold a fact that no journal holds.

/** Version of the tables. A history of another version is made again. */
export const HISTORY_VERSION = 5;

export const TABLES = `
CREATE TABLE source (
  journal TEXT PRIMARY KEY, segment INTEGER NOT NULL, chain INTEGER NOT NULL, read_to INTEGER NOT NULL,
  size INTEGER NOT NULL, last_us INTEGER NOT NULL, closed INTEGER NOT NULL, fault TEXT, resume TEXT NOT NULL
) STRICT;
CREATE TABLE session (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, journal TEXT NOT NULL, profile TEXT, is_paper INTEGER NOT NULL,
  started_us INTEGER NOT NULL, last_us INTEGER NOT NULL, ended_us INTEGER, how TEXT NOT NULL, version TEXT,
  config_hash TEXT, strategies TEXT NOT NULL, is_whole INTEGER NOT NULL, opened_us INTEGER, opened_cash_micros INTEGER
) STRICT;
CREATE TABLE market (
  id INTEGER PRIMARY KEY, ticker TEXT NOT NULL UNIQUE, event_group TEXT, title TEXT, status TEXT, close_us INTEGER,
  result TEXT, settlement_price INTEGER, settled_us INTEGER, is_ours INTEGER NOT NULL
) STRICT;
CREATE TABLE event_group (name TEXT PRIMARY KEY, series TEXT NOT NULL) STRICT;
CREATE TABLE "order" (
  id INTEGER PRIMARY KEY, session_id INTEGER NOT NULL, client_id TEXT NOT NULL, venue_id TEXT,
  market_id INTEGER NOT NULL, strategy TEXT NOT NULL, side TEXT NOT NULL, price INTEGER NOT NULL, qty INTEGER NOT NULL,
  filled INTEGER NOT NULL, state TEXT NOT NULL, cause_seq INTEGER, made_us INTEGER NOT NULL, ended_us INTEGER,
  end_why TEXT, terms_us INTEGER NOT NULL, terms_venue_us INTEGER, asked_qty INTEGER
) STRICT;
CREATE TABLE order_state (
  order_id INTEGER NOT NULL, n INTEGER NOT NULL, seq INTEGER NOT NULL, at_us INTEGER NOT NULL, state TEXT NOT NULL,
  why TEXT NOT NULL, PRIMARY KEY (order_id, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE fill (
  id INTEGER PRIMARY KEY, scope TEXT NOT NULL, trade_id TEXT NOT NULL, venue_id TEXT NOT NULL, client_id TEXT,
  order_id INTEGER, session_id INTEGER NOT NULL, seq INTEGER NOT NULL, at_us INTEGER NOT NULL, venue_us INTEGER,
  market_id INTEGER NOT NULL, strategy TEXT NOT NULL, side TEXT NOT NULL, price INTEGER NOT NULL, qty INTEGER NOT NULL,
  fee_micros INTEGER NOT NULL, is_taker INTEGER NOT NULL, cash_micros INTEGER, realized_micros INTEGER
) STRICT;
CREATE TABLE opening_position (
  session_id INTEGER NOT NULL, market_id INTEGER NOT NULL, qty INTEGER NOT NULL, cost_micros INTEGER NOT NULL,
  realized_micros INTEGER NOT NULL, fee_micros INTEGER NOT NULL, PRIMARY KEY (session_id, market_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE price (
  market_id INTEGER NOT NULL, day INTEGER NOT NULL, at_us INTEGER NOT NULL, yes INTEGER NOT NULL,
  PRIMARY KEY (market_id, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE price_before (
  session_id INTEGER NOT NULL, market_id INTEGER NOT NULL, yes INTEGER NOT NULL, PRIMARY KEY (session_id, market_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE quote (
  day INTEGER NOT NULL, market_id INTEGER NOT NULL, minute INTEGER NOT NULL, at_us INTEGER NOT NULL, bid INTEGER,
  ask INTEGER, PRIMARY KEY (day, market_id, minute)
) STRICT, WITHOUT ROWID;
CREATE TABLE event (
  session_id INTEGER NOT NULL, seq INTEGER NOT NULL, n INTEGER NOT NULL, at_us INTEGER NOT NULL, kind TEXT NOT NULL,
  code TEXT NOT NULL, scope TEXT NOT NULL, who TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (session_id, seq, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE settlement (
  market_id INTEGER NOT NULL, session_id INTEGER NOT NULL, at_us INTEGER NOT NULL, price INTEGER NOT NULL,
  until_session INTEGER, PRIMARY KEY (market_id, session_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE payout (
  market_id INTEGER NOT NULL, session_id INTEGER NOT NULL, at_us INTEGER NOT NULL, qty INTEGER NOT NULL,
  price INTEGER NOT NULL, paid_micros INTEGER NOT NULL, realized_micros INTEGER NOT NULL,
  PRIMARY KEY (market_id, session_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE flow (
  session_id INTEGER NOT NULL, market_id INTEGER NOT NULL, micros INTEGER NOT NULL, PRIMARY KEY (session_id, market_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE adjustment (
  session_id INTEGER NOT NULL, market_id INTEGER NOT NULL, ours INTEGER NOT NULL, theirs INTEGER NOT NULL,
  PRIMARY KEY (session_id, market_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE cash_move (
  session_id INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, micros INTEGER NOT NULL, kind TEXT NOT NULL
) STRICT;
CREATE TABLE position (
  market_id INTEGER PRIMARY KEY, qty INTEGER NOT NULL, cost_micros INTEGER NOT NULL, realized_micros INTEGER NOT NULL,
  fee_micros INTEGER NOT NULL, yes INTEGER
) STRICT;
CREATE TABLE mark (
  day INTEGER NOT NULL, market_id INTEGER NOT NULL, strategy TEXT NOT NULL, fills INTEGER NOT NULL,
  contracts INTEGER NOT NULL, cash_micros INTEGER NOT NULL, fee_micros INTEGER NOT NULL, paid_micros INTEGER NOT NULL,
  moved_micros INTEGER NOT NULL, qty INTEGER NOT NULL, value_micros INTEGER NOT NULL, profit_micros INTEGER NOT NULL,
  PRIMARY KEY (day, market_id, strategy)
) STRICT, WITHOUT ROWID;
PRAGMA user_version = ${HISTORY_VERSION};
`;

/**
 * Markets with facts from which no rows are derived yet, and 0 once any entry was read. Facts are committed before rows
 * are derived, so a process that dies between leaves them to the next.
 */
export const UNCOUNTED = 'CREATE TABLE IF NOT EXISTS uncounted (market_id INTEGER PRIMARY KEY) STRICT';

/** Indexes. A new history gets them last, because rows are added many times faster without indexes. */
export const INDEXES = `
CREATE UNIQUE INDEX IF NOT EXISTS fill_key ON fill(trade_id, venue_id, scope);
CREATE INDEX IF NOT EXISTS fill_venue ON fill(venue_id);
CREATE INDEX IF NOT EXISTS fill_market ON fill(market_id, id);
CREATE INDEX IF NOT EXISTS fill_at ON fill(at_us);
CREATE INDEX IF NOT EXISTS fill_order ON fill(order_id);
CREATE UNIQUE INDEX IF NOT EXISTS order_client ON "order"(client_id);
CREATE INDEX IF NOT EXISTS order_venue ON "order"(venue_id);
CREATE INDEX IF NOT EXISTS order_market ON "order"(market_id, made_us);
CREATE INDEX IF NOT EXISTS order_session ON "order"(session_id);
CREATE INDEX IF NOT EXISTS event_at ON event(at_us);
CREATE INDEX IF NOT EXISTS mark_market ON mark(market_id, strategy, day);
`;

/** Every table, facts first, with the columns by which its rows are sorted. */
export const TABLE_ORDER: Readonly<Record<string, string>> = {
  source: 'journal',
  session: 'id',
  market: 'id',
  event_group: 'name',
  '"order"': 'id',
  order_state: 'order_id, n',
  fill: 'id',
  opening_position: 'session_id, market_id',
  price: 'market_id, day',
  price_before: 'session_id, market_id',
  quote: 'day, market_id, minute',
  event: 'session_id, seq, n',
  settlement: 'market_id, session_id',
  payout: 'market_id, session_id',
  flow: 'session_id, market_id',
  adjustment: 'session_id, market_id',
  cash_move: 'session_id',
  position: 'market_id',
  mark: 'day, market_id, strategy',
};
