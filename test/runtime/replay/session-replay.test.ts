// Replays give the same commands from the same inputs, or the first place where they differ.
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { TickerTable, eventTicker } from '../../../src/domain/ids.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { cents, contracts, micros } from '../../../src/domain/units.ts';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import { sessionSnapshot } from '../../../src/report/account/session-snapshot.ts';
import { manifestOf, setupFromManifest } from '../../../src/runtime/replay/session-manifest.ts';
import { type ReplayReport, replayTape } from '../../../src/runtime/replay/tape-replay.ts';
import { engineOptions } from '../../../src/runtime/session/engine-setup.ts';
import { SessionTally } from '../../../src/runtime/session/session-tally.ts';
import type { BoundStrategy } from '../../../src/strategy/strategy-definition.ts';
import type { Manifest } from '../../../src/tape/format/segment-header.ts';
import { TapeReader } from '../../../src/tape/journal/tape-reader.ts';
import type { JournalWriter } from '../../../src/tape/journal/journal-writer.ts';
import { profileByName } from '../../../src/venues/trade-api/profiles/profile-registry.ts';
import { tradeApiReplayParts } from '../../../src/venues/trade-api/replay-parts.ts';
import { aMarket, tickerTable } from '../../support/engine/builders.ts';
import { EngineHarness, aQuote, aStrategy } from '../../support/engine/engine-harness.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';
import { AT, journalOn, place, start } from '../../support/tapes/journal-entries.ts';

const FOLDER = '/journal';

async function aManifest(): Promise<Manifest> {
  const config = readBotConfig('config/demo.yaml');
  const profile = profileByName('service');
  if (!profile) throw new Error('no profile');
  const venue = { name: 'service', ...tradeApiReplayParts({ profile, tickers: tickerTable(1) }) };
  const markets = { ...config.markets, events: ['EVENT'], tickers: [], series: [] };
  return manifestOf({
    config: { ...config, markets, strategies: [] },
    venue,
    hasKey: true,
    version: '1',
    folder: FOLDER,
  });
}

/** A strategy that quotes around the middle. A test plants a difference with `bid`. */
const quoting = (bid = cents(40)): BoundStrategy =>
  aStrategy({ onBook: ({ market }) => [aQuote({ market, bid: { price: bid, qty: contracts(5) } })] });

/** A simulated harness that records every input and output of its engine. */
class WrittenWorld extends EngineHarness {
  journal: JournalWriter | null = null;

  override step(event: EngineEvent): void {
    this.journal?.writeInput({ type: 'event', event });
    const commands = [...this.engine.step(event)];
    this.journal?.writeCommands(commands);
    for (const command of commands) {
      this.sent.push({ at: this.now, command, wasLive: true });
      this.venue.acceptCommand(command);
    }
  }
}

interface Recording {
  readonly disk: MemoryDisk;
  readonly session?: string;
  readonly manifest: Manifest;
}

/** Two seconds of trading, on tape. */
function record({ disk, manifest }: Recording): { readonly harness: WrittenWorld; readonly journal: JournalWriter } {
  const { config, venue, hasKey } = setupFromManifest(manifest, FOLDER);
  const options = engineOptions({ config, venue, hasKey, strategies: [quoting()], observe: () => undefined });
  expect(options.universe.events).toEqual([eventTicker('EVENT')]);
  const harness = new WrittenWorld({ markets: [aMarket(0)], engine: options });
  harness.journal = journalOn(disk.open(), { manifest });
  harness.startTrading();
  for (let round = 0; round < 10; round++) {
    harness.venue.changeLevel(0 as MarketIndex, 'bid', { price: cents(44), change: round % 2 === 0 ? 500 : -500 });
    harness.run(200);
    // A screen may read the state at any time, and must have no effect.
    sessionSnapshot(harness.engine, new SessionTally([]), {
      now: micros(harness.now + 5_000_000),
      startedAt: harness.now,
    });
  }
  return { harness, journal: harness.journal };
}

const replay = (disk: MemoryDisk, strategy = quoting()): Promise<ReplayReport> =>
  replayTape({ storage: disk.open(), strategies: () => Promise.resolve([strategy]) });

/** A closed tape of one session, and the number of orders on it. */
async function aTape(): Promise<{ readonly disk: MemoryDisk; readonly places: number; readonly commands: number }> {
  const disk = new MemoryDisk();
  const { harness, journal } = record({ disk, manifest: await aManifest() });
  await journal.close('done');
  const places = harness.sent.filter(({ command }) => command.type === 'place').length;
  return { disk, places, commands: harness.sent.length };
}

describe('a replay', () => {
  it('gives the same commands', async () => {
    const { disk, places, commands } = await aTape();
    expect(places).toBeGreaterThan(0);
    const { sessions } = await replay(disk);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]).toMatchObject({ session: 's', commands, difference: null, fault: null, leftOut: null });
    expect(sessions[0]?.inputs).toBeGreaterThan(20);
  });

  it('stops at the first command that differs, and shows the entry, the input, and both commands', async () => {
    const { disk } = await aTape();
    const first = [...new TapeReader(disk.open()).entries()].find(
      ({ kind, payload }) => kind === 'commands' && payload.includes('"type":"place"'),
    );
    const { sessions } = await replay(disk, quoting(cents(41)));
    const difference = sessions[0]?.difference;
    expect(difference).toMatchObject({ seq: first?.seq, at: first?.at, file: '00000001.tape', line: first?.line });
    const before = [...new TapeReader(disk.open()).entries()].find(({ seq }) => seq === (first?.seq ?? 0) - 1);
    expect(difference?.input).toEqual({ seq: before?.seq, kind: 'event', text: before?.payload.toString() });
    expect(difference?.expected).toContain('"price":4000');
    expect(difference?.got).toContain('"price":4100');
  });

  it('shows commands that the tape lacks, and commands that only the tape has', async () => {
    const { disk } = await aTape();
    const silent = await replay(disk, aStrategy({}));
    expect(silent.sessions[0]?.difference).toMatchObject({ got: null });
    expect(silent.sessions[0]?.difference?.expected).toContain('"type":"place"');
    const eager = new MemoryDisk();
    const journal = journalOn(eager.open(), { manifest: await aManifest() });
    journal.writeInput(start('s1'));
    journal.writeInput({ type: 'feed-heard', at: micros(AT) });
    await journal.close('done');
    expect((await replay(eager)).sessions[0]?.difference).toMatchObject({ seq: 3, expected: null });
  });

  it('treats commands as equal whatever the order of their members', async () => {
    const { disk } = await aTape();
    const turned = new MemoryDisk();
    const journal = journalOn(turned.open(), { manifest: await aManifest() });
    for (const { kind, payload } of new TapeReader(disk.open()).entries()) {
      if (kind === 'event') journal.writeInput({ type: 'event', event: JSON.parse(payload.toString()) as EngineEvent });
      if (kind !== 'commands') continue;
      const commands = JSON.parse(payload.toString()) as object[];
      journal.writeCommands(commands.map((each) => Object.fromEntries(Object.entries(each).toReversed()) as never));
    }
    await journal.close('done');
    expect(turned.read('00000001.tape')).not.toEqual(disk.read('00000001.tape'));
    expect((await replay(turned)).sessions[0]).toMatchObject({ difference: null, leftOut: null });
  });

  it('needs no notices, wherever they stand between the commands', async () => {
    const { disk, commands } = await aTape();
    const noted = new MemoryDisk();
    const journal = journalOn(noted.open(), { manifest: await aManifest() });
    for (const { kind, payload } of new TapeReader(disk.open()).entries()) {
      if (kind === 'event') journal.writeInput({ type: 'event', event: JSON.parse(payload.toString()) as EngineEvent });
      if (kind !== 'event' && kind !== 'commands') continue;
      journal.writeNotices([{ type: 'alarm', code: 'drift', at: micros(AT), text: 'a', figures: {} }]);
      if (kind === 'commands') journal.writeCommands(JSON.parse(payload.toString()) as never);
    }
    await journal.close('done');
    expect((await replay(noted)).sessions[0]).toMatchObject({ commands, difference: null });
  });

  it('finds a missing input', async () => {
    const { disk } = await aTape();
    const shorter = new MemoryDisk();
    const journal = journalOn(shorter.open(), { manifest: await aManifest() });
    let isCut = false;
    for (const { kind, payload } of new TapeReader(disk.open()).entries()) {
      if (kind === 'event') {
        const event = JSON.parse(payload.toString()) as EngineEvent;
        if (!isCut && event.kind === 'balance') isCut = true;
        else journal.writeInput({ type: 'event', event });
      }
      if (kind === 'commands') journal.writeCommands(JSON.parse(payload.toString()) as never);
    }
    await journal.close('done');
    expect(isCut).toBe(true);
    expect((await replay(shorter)).sessions[0]?.difference).not.toBeNull();
  });

  it('equals a session that died at any entry as far as that went', async () => {
    const { disk } = await aTape();
    const bytes = disk.read('00000001.tape');
    const ends = [...bytes.entries()].filter(([, byte]) => byte === 10).map(([at]) => at + 1);
    for (const end of ends.filter((_, number) => number % 7 === 0)) {
      const cut = new MemoryDisk();
      cut.write('00000001.tape', bytes.subarray(0, end));
      expect((await replay(cut)).sessions[0]).toMatchObject({ difference: null, leftOut: null });
    }
  });

  it('covers each session of a tape, and reports the ones that could not be replayed', async () => {
    const disk = new MemoryDisk();
    const manifest = await aManifest();
    for (let session = 0; session < 2; session++) {
      const journal = journalOn(disk.open(), { manifest, segmentBytesMax: 100 });
      journal.writeInput(start(`s${session}`));
      journal.flush();
      journal.writeInput({ type: 'event', event: { kind: 'stop', at: 1 as never, reason: 'x' } });
      await journal.close('done');
    }
    const { sessions } = await replay(disk);
    expect(sessions.map(({ session, difference }) => [session, difference === null])).toEqual([
      ['s0', false],
      ['s1', false],
    ]);
    disk.delete('00000001.tape');
    const without = await replay(disk);
    expect(without.sessions.map(({ leftOut }) => leftOut)).toEqual(['its beginning is no longer kept', null]);
    const only = await replayTape({ storage: disk.open(), strategies: () => Promise.resolve([]), session: 's1' });
    expect(only.sessions.map(({ session }) => session)).toEqual(['s1']);
  });

  it('skips a recording, and reports an unknown profile', async () => {
    const disk = new MemoryDisk();
    const journal = journalOn(disk.open(), { of: 'recording' });
    journal.writeInput({ type: 'feed-heard', at: 1 as never });
    await journal.close('done');
    expect((await replay(disk)).sessions[0]).toMatchObject({ leftOut: 'a recording has no commands', commands: 0 });
    const manifest = { ...(await aManifest()), profile: 'elsewhere' };
    const other = new MemoryDisk();
    const unknown = journalOn(other.open(), { manifest });
    unknown.writeInput(start('s1'));
    unknown.writeCommands([place(1)]);
    await expect(replay(other)).rejects.toThrow('expected a venue profile of this version, found "elsewhere"');
  });

  it('ends with the same fault as the session, and reports a fault that the session did not end with', async () => {
    const manifest = await aManifest();
    const write = async (inputsAfter: number): Promise<MemoryDisk> => {
      const disk = new MemoryDisk();
      const journal = journalOn(disk.open(), { manifest });
      const delta = { kind: 'market-changed', at: 2 as never, exchangeAt: null, market: 99 as never } as const;
      journal.writeInput({ type: 'event', event: { ...delta, kind: 'order-updated', order: null as never } as never });
      for (let n = 0; n < inputsAfter; n++) journal.writeInput({ type: 'feed-heard', at: 3 as never });
      await journal.close('fault');
      return disk;
    };
    const [ended] = (await replay(await write(0))).sessions;
    expect(ended?.difference).toBeNull();
    expect(ended?.fault).toMatch(/null/);
    const [wentOn] = (await replay(await write(1))).sessions;
    expect(wentOn?.difference?.got).toMatch(/^TypeError: .*null/);
  });
});

describe('a manifest', () => {
  it('names strategies’ files relative to the journal, without a path of this machine or a key', async () => {
    const config = readBotConfig('config/demo.yaml');
    const profile = profileByName('service');
    if (!profile) throw new Error('no profile');
    const venue = { name: 'service', ...tradeApiReplayParts({ profile, tickers: new TickerTable() }) };
    const folder = `${process.cwd()}/var/demo/journal`;
    const manifest = await manifestOf({ config, venue, hasKey: true, version: '1', folder });
    expect(manifest.strategies.map(({ file }) => file)).toEqual([
      '../../../strategies/two-sided-quoter.ts',
      '../../../strategies/group-arbitrage.ts',
    ]);
    expect(manifest.strategies.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256))).toBe(true);
    expect(JSON.stringify(manifest)).not.toContain(process.cwd());
    expect(setupFromManifest(manifest, folder).config).toEqual({
      ...Object.fromEntries(Object.keys(manifest.setup).map((name) => [name, config[name as never]])),
      // Slow answers are measured outside the engine, and have an effect only through an order that the journal holds.
      strategies: config.strategies.map(({ slowMax: _edge, ...strategy }, at) => ({
        ...strategy,
        sha256: manifest.strategies[at]?.sha256,
      })),
    });
  });

  it('has the same hash for the same setup wherever it is stored, and another for another setup', async () => {
    const manifest = await aManifest();
    expect((await aManifest()).hash).toBe(manifest.hash);
    const config = readBotConfig('config/demo.yaml');
    const profile = profileByName('service');
    if (!profile) throw new Error('no profile');
    const venue = { name: 'service', ...tradeApiReplayParts({ profile, tickers: new TickerTable() }) };
    const hashIn = async (folder: string, hasKey: boolean): Promise<string> =>
      (await manifestOf({ config, venue, hasKey, version: folder, folder })).hash;
    expect(await hashIn('/a', true)).toBe(await hashIn('/b/c', true));
    expect(await hashIn('/a', true)).not.toBe(await hashIn('/a', false));
  });
});
