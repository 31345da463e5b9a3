// Messages of a feed with prices in dollars, in the form in which a recorder saves them.

const ids = { market_id: '0f' } as const;

export const subscribedTo = (sid: number, channel = 'orderbook_delta', id = sid): object => ({
  type: 'subscribed',
  id,
  msg: { channel, sid },
});

export interface SnapshotFields {
  readonly market?: string;
  readonly yes?: readonly (readonly [string, string])[];
  readonly no?: readonly (readonly [string, string])[];
}

export const snapshotOf = (seq: number, { market = 'M-1', yes, no }: SnapshotFields = {}, sid = 1): object => ({
  type: 'orderbook_snapshot',
  sid,
  seq,
  msg: {
    market_ticker: market,
    ...ids,
    ...(yes === undefined ? {} : { yes_dollars_fp: yes }),
    ...(no === undefined ? {} : { no_dollars_fp: no }),
  },
});

export interface ChangeFields {
  readonly market?: string;
  readonly side?: 'yes' | 'no';
  readonly price?: string;
  readonly change?: string;
  readonly ms?: number;
}

export const MS = 1_795_000_000_000;

export const changeOf = (
  seq: number,
  { market = 'M-1', side = 'yes', price = '0.4200', change = '1.00', ms = MS + seq }: ChangeFields = {},
): object => ({
  type: 'orderbook_delta',
  sid: 1,
  seq,
  msg: { market_ticker: market, ...ids, price_dollars: price, delta_fp: change, side, ts_ms: ms },
});

export const tradeOf = (seq: number, extra: object = {}): object => ({
  type: 'trade',
  sid: 2,
  seq,
  msg: {
    trade_id: `t-${seq}`,
    market_ticker: 'M-1',
    yes_price_dollars: '0.5200',
    no_price_dollars: '0.4800',
    count_fp: '1.50',
    taker_outcome_side: 'no',
    taker_book_side: 'ask',
    is_block_trade: false,
    ts: 1_795_000_000,
    ts_ms: MS + 100 + seq,
    ...extra,
  },
});

/** Returns messages as the lines of a capture file. */
export const linesOf = (...messages: readonly (object | string)[]): string =>
  messages.map((message) => (typeof message === 'string' ? message : JSON.stringify(message))).join('\n');
