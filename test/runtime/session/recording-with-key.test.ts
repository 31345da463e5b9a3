// A recording at a venue that requires a key for public data, too. The same account trades on the same connection, and
// none of that is on the tape.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tapeNormalizer } from '../../../src/app/tape-place.ts';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import { readExchangeConfig } from '../../../src/config/exchange-config.ts';
import { must } from '../../../src/base/assert.ts';
import type { PlaceCommand } from '../../../src/domain/venue-command.ts';
import { clientOrderId, strategyName } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import { type Micros, cents, contracts } from '../../../src/domain/units.ts';
import { startExchange } from '../../../src/exchange/api/exchange-server.ts';
import { logTo } from '../../../src/log.ts';
import { SystemClock } from '../../../src/runtime/session/system-clock.ts';
import { LiveSession } from '../../../src/runtime/session/live-session.ts';
import { manifestOf } from '../../../src/runtime/replay/session-manifest.ts';
import { PublicRecorder } from '../../../src/runtime/session/public-recorder.ts';
import { bakeTape } from '../../../src/tape/tools/bake-tape.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import { TapeReader } from '../../../src/tape/journal/tape-reader.ts';
import { rowFacts } from '../../../src/tape/tools/row-facts.ts';
import { TapeState } from '../../../src/tape/tools/tape-state.ts';
import { JournalWriter } from '../../../src/tape/journal/journal-writer.ts';
import { systemScheduler } from '../../../src/transport/scheduler.ts';
import { generateKeyPair, readPrivateKey } from '../../../src/venues/trade-api/signing/key-files.ts';
import type { WireProfile } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { publicPartFilter } from '../../../src/venues/trade-api/feed/public-frame.ts';
import { tradeApiVenue } from '../../../src/venues/trade-api/trade-api-venue.ts';
import { ROOT } from '../../e2e/presage.ts';
import { memoryStorage } from '../../support/tapes/memory-storage.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const PROFILE: WireProfile = { ...serviceProfile, feed: { ...serviceProfile.feed, publicFeedNeedsKey: true } };
const OWN_ID = 'mine-and-nobody-elses';

/** A bid that nothing trades with. */
const quietOrder = ({ index, ticker }: Pick<Market, 'index' | 'ticker'>, createdAt: Micros): PlaceCommand => ({
  type: 'place',
  lane: 'new',
  id: 9000,
  createdAt,
  validUntil: null,
  clientOrderId: clientOrderId(OWN_ID),
  strategy: strategyName('hand'),
  market: index,
  ticker,
  side: 'buy',
  price: cents(1),
  qty: contracts(3),
  timeInForce: 'gtc',
  postOnly: true,
  reduceOnly: false,
  expiresAt: null,
});

/** The local exchange, configured to require a key of everyone, and a venue that only watches with one. */
async function keyedVenue() {
  const log = logTo({ write: () => undefined }, 'silent');
  const { scheme } = PROFILE.signing;
  const { privatePem, publicPem } = generateKeyPair(scheme);
  const exchange = await startExchange({
    config: { ...readExchangeConfig(join(ROOT, 'config/exchange.yaml')), seed: 7 },
    profile: PROFILE,
    port: 0,
    log,
    keys: [{ id: 'k', account: 'demo', scheme, publicPem }],
  });
  const clock = new SystemClock();
  const venue = tradeApiVenue({
    profile: PROFILE,
    urls: { rest: exchange.url, feed: exchange.feedUrl },
    credential: { keyId: 'k', privateKey: readPrivateKey(privatePem, { scheme, source: 'the test' }) },
    publicOnly: true,
    clock: () => clock.now(),
    random: Math.random,
  });
  return { exchange, venue, clock, log };
}

it('a recording made with a key holds public data, without the name of the order behind it', async () => {
  const { exchange, venue, clock, log } = await keyedVenue();
  const { limits: _none, ...config } = { ...readBotConfig(join(ROOT, 'config/demo.yaml')), strategies: [] };
  const manifest = await manifestOf({ config, venue, hasKey: false, version: '0.0.0', folder: '/' });
  const storage = memoryStorage();
  const tape = new JournalWriter({ storage, manifest, of: 'recording', timers: systemScheduler, packer: null });
  const recorder = new PublicRecorder({ tape, publicPart: publicPartFilter(PROFILE.feed) });
  const frames: string[] = [];
  const session = new LiveSession({
    config,
    venue,
    strategies: [],
    hasKey: false,
    log,
    clock,
    journal: {
      writeInput: (input) => {
        if (input.type === 'frame') frames.push(new TextDecoder().decode(input.bytes));
        recorder.writeInput(input);
      },
      writeNotices: () => recorder.writeNotices(),
      writeCommands: (commands) => recorder.writeCommands(commands),
    },
  });
  await session.start();
  await until(() =>
    session.engine.state.markets.allMarkets().some(({ index }) => session.engine.state.books.isLive(index)),
  );
  const market = must(
    session.engine.state.markets.allMarkets().find(({ index }) => session.engine.state.books.isLive(index)),
    'a market with a book',
  );
  const place = quietOrder(market, clock.now());
  const { outcome } = await venue.gateway.send(place, new AbortController().signal);
  expect(outcome).toMatchObject({ type: 'answered', status: 201 });
  // The venue names the order in a public message, and sends us nothing else about it.
  await until(() => frames.some((text) => text.includes(OWN_ID)));
  expect(await session.stop('enough', 5000)).toMatchObject({ type: 'stopped' });
  await tape.close('stopped');
  await exchange.stop();
  expect(frames.filter((text) => /"(?:fill|user_order|market_position)"/.test(text))).toEqual([]);
  const recorded = [...new TapeReader(storage).entries()].map(({ payload }) => payload.toString());
  expect(recorded.filter((text) => text.includes(OWN_ID))).toEqual([]);
  expect(recorded.filter((text) => text.includes('"client_order_id":""'))).toHaveLength(1);
  // A blank name counts as none: the order is in the book all the same.
  const folder = mkdtempSync(join(tmpdir(), 'presage-keyed-'));
  try {
    const to = join(folder, 'tape.arrow');
    expect(bakeTape({ storage, to, normalizerOf: tapeNormalizer }).gaps).toEqual([]);
    const source = openBakedFile(to);
    const state = new TapeState();
    for (const fact of rowFacts(source)) state.applyFact(fact);
    const own = must(source.tickers.indexOf(market.ticker), 'the market');
    expect(state.bookOf(own)?.bids).toEqual(session.engine.state.books.levels(market.index, 'bid'));
    expect(state.bookOf(own)?.bids.find(([price]) => price === cents(1))?.[1]).toBeGreaterThanOrEqual(contracts(3));
    source.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function until(isSo: () => boolean): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > untilMs) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
