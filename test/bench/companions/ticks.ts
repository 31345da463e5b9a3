// An exchange of one market that sends a tick, waits for the orders that it causes, and sends the next a little later. It
// never sleeps meanwhile, and records when each tick left and when its last order was received in full.
import type { Duplex } from 'node:stream';
import { type Price, type Qty, cents, contracts } from '../../../src/domain/units.ts';
import { endWithParent, tellParent } from '../companion.ts';
import { bookOf, frameOf, levelChanged, tickerOf } from '../frames.ts';
import { monotonicMicros } from '../monotonic.ts';
import { openStubFeed } from '../stub-feed.ts';
import { openStubOrders } from '../stub-orders.ts';
import type { TickPlan } from '../stages.ts';
import { CoreShare } from '../usage.ts';

let client: { readonly stream: Duplex; seq: number } | null = null;
let sentAt = new Float64Array();
let receivedAt = new Float64Array();
let sentCount = 0;
let receivedCount = 0;
let pauses = new Float64Array();
let ordersPerTick = 1;
let orderCount = 0;
let share = new CoreShare();

/** Sends a tick: the best bid comes or goes. */
function sendTick(): void {
  if (client === null) throw new Error('ticks: no client has subscribed');
  const change = contracts(sentCount % 2 === 0 ? 5 : -5);
  const frame = frameOf(levelChanged({ ticker: tickerOf(0), side: 'bid', price: cents(45), change, seq: client.seq }));
  client.seq += 1;
  sentAt[sentCount] = monotonicMicros();
  client.stream.write(frame);
  sentCount += 1;
}

function noteOrder(): void {
  orderCount += 1;
  if (orderCount % ordersPerTick !== 0) return;
  receivedAt[receivedCount] = monotonicMicros();
  receivedCount += 1;
}

/** The first tick leaves at once, each later one a pause after the order before it. */
function nextTickAt(): number {
  return receivedCount === 0 ? 0 : (receivedAt[receivedCount - 1] ?? 0) + (pauses[receivedCount - 1] ?? 0);
}

/** Checks once per turn of the event loop, without sleeping. */
function run(): void {
  if (receivedCount > sentCount) throw new Error('ticks: an order came that no tick had caused');
  const isAnswered = receivedCount === sentCount;
  if (isAnswered && sentCount === sentAt.length) return tellParent({ sentAt, receivedAt, serverCpu: share.percent() });
  if (isAnswered && monotonicMicros() >= nextTickAt()) sendTick();
  setImmediate(run);
}

const level = (cent: number): [Price, Qty] => [cents(cent), contracts(1000)];

endWithParent();
// Both sides have quantity, so that it is clear what an order trades against.
const sides = { bids: [level(40)], asks: [level(55)] };
const feedPort = await openStubFeed(
  (stream, seq) => (client = { stream, seq }),
  (market, seq) => bookOf(market, seq, sides),
);
const ordersPort = await openStubOrders(noteOrder);
process.on('message', (plan: TickPlan) => {
  ({ pauses, ordersPerTick } = plan);
  orderCount = 0;
  sentAt = new Float64Array(pauses.length);
  receivedAt = new Float64Array(pauses.length);
  sentCount = 0;
  receivedCount = 0;
  share = new CoreShare();
  run();
});
tellParent({ feedPort, ordersPort });
