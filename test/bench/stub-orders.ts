// The requests of a stub server: HTTP by hand on plain sockets, so that the moment at which a request is complete is
// known. Every order is accepted and canceled at once; the account has cash and nothing else.
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { venueOrderId } from '../../src/domain/ids.ts';
import { NO_QTY, cents, contracts, dollars } from '../../src/domain/units.ts';
import { type EndpointName, pathOf } from '../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';
import { codecOf } from '../../src/venues/trade-api/wire/codec.ts';
import type { OrderAnswerRecord } from '../../src/venues/trade-api/wire/wire-records.ts';
import { tickerOf } from './frames.ts';

const { records } = serviceProfile;
const HEAD_END = '\r\n\r\n';
const EMPTY_PAGE = { rows: [], cursor: null };

const READS: readonly (readonly [EndpointName, object])[] = [
  ['status', { exchange_active: true, trading_active: true }],
  ['orders', codecOf(records.orders).encode(EMPTY_PAGE)],
  ['fills', codecOf(records.fills).encode(EMPTY_PAGE)],
  ['positions', codecOf(records.positions).encode({ ...EMPTY_PAGE, groups: null })],
  [
    'balance',
    codecOf(records.balance).encode({
      available: dollars(100_000),
      positionsValue: null,
      updatedAt: null,
      byShard: null,
    }),
  ],
];
const BATCHED = pathOf(serviceProfile, 'createOrders');
const READ_BODIES = new Map(READS.map(([name, body]) => [pathOf(serviceProfile, name), JSON.stringify(body)]));

/** Starts to listen; `onOrder` is called the moment an order is complete. Resolves to the port on 127.0.0.1. */
export function openStubOrders(onOrder: () => void): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    let waiting = '';
    socket.on('data', (part) => {
      waiting += part.toString('latin1');
      for (let length = requestLength(waiting); length > 0; length = requestLength(waiting)) {
        const request = waiting.slice(0, length);
        waiting = waiting.slice(length);
        for (let left = ordersIn(request); left > 0; left--) onOrder();
        answer(socket, request);
      }
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Length of the first request; 0 while it is incomplete. */
function requestLength(text: string): number {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd < 0) return 0;
  const contentLength = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? '0';
  const length = headEnd + HEAD_END.length + Number(contentLength);
  return text.length >= length ? length : 0;
}

function answer(socket: Socket, request: string): void {
  if (request.startsWith(`POST ${BATCHED} `)) return write(socket, 201, ordersCreated(request));
  if (request.startsWith('POST ')) return write(socket, 201, orderCreated(request));
  const path = request.split(' ', 2)[1]?.split('?', 1)[0] ?? '';
  // The book changes by ticks, and is not known here.
  if (path.endsWith('/orderbook')) return write(socket, 503, '{}');
  const body = READ_BODIES.get(path);
  if (body === undefined) throw new Error(`stub server: unknown path ${path}`);
  write(socket, 200, body);
}

function write(socket: Socket, status: number, body: string): void {
  const head = `HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  socket.write(head + HEAD_END + body, 'latin1');
}

let orders = 0;

interface OrderBody {
  readonly client_order_id: string;
}

const bodyOf = (request: string): unknown => JSON.parse(request.slice(request.indexOf(HEAD_END)));
const orderCreated = (request: string): string =>
  JSON.stringify(codecOf(records.orderCreated).encode({ order: canceledOrder(bodyOf(request) as OrderBody) }));

function ordersCreated(request: string): string {
  const { orders: bodies } = bodyOf(request) as { readonly orders: readonly OrderBody[] };
  const created = bodies.map((body) => ({
    clientOrderId: body.client_order_id,
    order: canceledOrder(body),
    error: null,
  }));
  return codecOf(records.ordersCreated).encodeText({ orders: created });
}

/** Number of orders that a request places. */
const ordersIn = (request: string): number =>
  request.startsWith('POST ') ? request.split('"client_order_id"').length - 1 : 0;

function canceledOrder(body: OrderBody): OrderAnswerRecord {
  orders += 1;
  return {
    orderId: venueOrderId(`order-${orders}`),
    clientOrderId: body.client_order_id,
    ticker: tickerOf(0),
    side: 'buy',
    price: cents(55),
    status: 'canceled',
    initialQty: contracts(1),
    filledQty: NO_QTY,
    leavesQty: NO_QTY,
    takerCost: null,
    makerCost: null,
    takerFees: null,
    makerFees: null,
    timeInForce: 'ioc',
    postOnly: null,
    reduceOnly: null,
    selfTrade: null,
    expiresAt: null,
    createdAt: null,
    updatedAt: null,
    reason: null,
    groupId: null,
    outcome: null,
    cancelOnPause: null,
    subaccount: null,
    shard: null,
    filledNow: null,
    averagePrice: null,
    averageFee: null,
  };
}
