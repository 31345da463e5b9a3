// The time from a tick to the order it causes, with a simple client: ws, JSON.parse, zod, maps, the key parsed and the
// request signed for every order, global fetch.
import { WebSocket } from 'ws';
import { generateKeyPair, readPrivateKey } from '../../../src/venues/trade-api/signing/key-files.ts';
import { pathOf } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { createSigner } from '../../../src/venues/trade-api/signing/signers.ts';
import { tickerOf } from '../frames.ts';
import { NaiveBooks, subscribeTo } from '../naive-messages.ts';
import type { Scenario } from '../scenario.ts';
import { FURTHER_PACES, type Stages, type TickServer, measureTicks } from '../stages.ts';

const { signing } = serviceProfile;
const { scheme } = signing;
const PATH = pathOf(serviceProfile, 'createOrder');
const MARKET = tickerOf(0);

/** A client that buys one contract whenever the touch changes. */
class NaiveClient {
  readonly #books = new NaiveBooks();
  readonly #url: string;
  readonly #stages: Stages;
  readonly #pem = generateKeyPair(scheme).privatePem;
  #best = 0;
  #orders = 0;

  constructor(url: string, stages: Stages) {
    this.#url = url;
    this.#stages = stages;
  }

  /** Handles a message, and buys when it changes the touch. */
  async hear(text: string): Promise<void> {
    this.#stages.noteFrame();
    const change = this.#books.hear(text);
    if (change === null) return;
    const best = this.#books.best(change.market_ticker, 'yes');
    if (best === this.#best) return;
    this.#best = best;
    this.#stages.noteDecided();
    await this.#buy();
  }

  async #buy(): Promise<void> {
    this.#orders += 1;
    const body = JSON.stringify({
      ticker: MARKET,
      client_order_id: `naive-${this.#orders}`,
      side: 'yes',
      action: 'buy',
      type: 'limit',
      count: 1,
      yes_price: 55,
      time_in_force: 'immediate_or_cancel',
    });
    const headers = await this.#sign();
    this.#stages.noteSigned();
    const response = await fetch(this.#url + PATH, { method: 'POST', headers, body });
    await response.json();
  }

  async #sign(): Promise<Record<string, string>> {
    const timestamp = String(Date.now());
    const key = readPrivateKey(this.#pem, { scheme, source: 'bench' });
    const signature = await createSigner(signing, key)(`${timestamp}POST${PATH}`);
    const { headers } = signing;
    return {
      'content-type': 'application/json',
      [headers.key]: 'bench',
      [headers.timestamp]: timestamp,
      [headers.signature]: signature,
    };
  }
}

function openNaive({ feedPort, ordersPort }: TickServer, stages: Stages): Promise<void> {
  const client = new NaiveClient(`http://127.0.0.1:${ordersPort}`, stages);
  const socket = new WebSocket(`ws://127.0.0.1:${feedPort}${serviceProfile.feed.path}`);
  return new Promise((resolve) => {
    socket.on('open', () => socket.send(subscribeTo([MARKET])));
    socket.on('message', (data) => {
      const text = (data as Buffer).toString();
      void client.hear(text);
      if (text.includes('orderbook_snapshot')) resolve();
    });
  });
}

export const ticksNaive: Scenario = {
  name: 'tick-naive',
  what: 'the same through ws, JSON.parse, zod, a key parsed for every order, and fetch',
  run: () => measureTicks(openNaive),
};

export const ticksNaivePaced: readonly Scenario[] = FURTHER_PACES.map(([name, pace]) => ({
  name: `tick-naive-${name}`,
  what: `the naive client with the pauses of tick-${name}`,
  run: () => measureTicks(openNaive, { pace }),
}));
