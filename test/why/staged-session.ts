// A staged session to ask about: an engine with a config of its own over the scripted venue, journaled input by input.
import { readBotConfig } from '../../src/config/bot-config.ts';
import type { EngineEvent } from '../../src/domain/event.ts';
import { strategyName } from '../../src/domain/ids.ts';
import type { Market } from '../../src/domain/market.ts';
import { micros } from '../../src/domain/units.ts';
import { manifestOf, setupFromManifest } from '../../src/runtime/replay/session-manifest.ts';
import { type SetupConfig, engineOptions } from '../../src/runtime/session/engine-setup.ts';
import type { BoundStrategy } from '../../src/strategy/strategy-definition.ts';
import type { Manifest } from '../../src/tape/format/segment-header.ts';
import { deflatePacker } from '../../src/tape/format/packed-block.ts';
import type { JournalWriter } from '../../src/tape/journal/journal-writer.ts';
import type { Storage } from '../../src/tape/journal/storage.ts';
import { profileByName } from '../../src/venues/trade-api/profiles/profile-registry.ts';
import { tradeApiReplayParts } from '../../src/venues/trade-api/replay-parts.ts';
import { answerWhy } from '../../src/why/answer-why.ts';
import type { WhyAnswer } from '../../src/why/why-answer.ts';
import type { WhySource } from '../../src/why/why-source.ts';
import { aMarket, tickerTable } from '../support/engine/builders.ts';
import { EngineHarness } from '../support/engine/engine-harness.ts';
import { journalOn } from '../support/tapes/journal-entries.ts';
import { MemoryDisk } from '../support/tapes/memory-storage.ts';
import { stagedMaker } from './staged-maker.ts';

export const VERSION = '9.9.9';

export interface StageOptions {
  /** Parameters of the strategy `maker`. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** File that exports the strategy: a replay by the command line loads it. */
  readonly file?: string;
  /** Makes other strategies in its place. */
  readonly strategies?: () => readonly BoundStrategy[];
  readonly limits?: Partial<NonNullable<SetupConfig['limits']>> | undefined;
  readonly budgets?: Partial<SetupConfig['budgets']>;
  readonly orders?: Partial<SetupConfig['orders']>;
  readonly markets?: readonly Market[];
  /** Storage of the journal. Default: a disk in memory. */
  readonly storage?: Storage;
  readonly version?: string;
  /** Bytes after which the journal begins another file, and packs the full one. Default: one file, not packed. */
  readonly segmentBytesMax?: number;
}

async function manifestFor(options: StageOptions, folder: string): Promise<Manifest> {
  const { limits, budgets, orders, params = {}, file, markets = [aMarket(0)], version = VERSION } = options;
  const config = readBotConfig('config/demo.yaml');
  const profile = profileByName('service');
  if (!profile || !config.limits) throw new Error('no profile or no limits');
  return manifestOf({
    config: {
      ...config,
      limits: { ...config.limits, bookAgeMsMax: 600_000, ...limits },
      // The scripted venue's books are not for auditing.
      upkeep: { ...config.upkeep, audit: micros(3_600_000_000) },
      budgets: { ...config.budgets, ...budgets },
      orders: { ...config.orders, ...orders },
      markets: { ...config.markets, events: ['EVENT'], tickers: [], series: [] },
      strategies:
        file === undefined ? [] : [{ name: 'maker', file, params: { ...params }, slowMax: micros(1_000_000) }],
    },
    venue: { name: 'service', ...tradeApiReplayParts({ profile, tickers: tickerTable(markets.length) }) },
    hasKey: true,
    version,
    folder,
  });
}

/** A session whose inputs and commands are journaled. */
export class StagedSession extends EngineHarness {
  readonly #disk: MemoryDisk;
  readonly #strategies: () => readonly BoundStrategy[];
  #journal: JournalWriter | null;
  #reading: Storage | null = null;

  private constructor(disk: MemoryDisk, options: StageOptions, manifest: Manifest) {
    const storage = options.storage ?? disk.open();
    const { config, venue, hasKey } = setupFromManifest(manifest, storage.path);
    const { markets = [aMarket(0)], params = {}, segmentBytesMax } = options;
    const strategies = options.strategies ?? (() => [stagedMaker.bind(strategyName('maker'), params)]);
    super({
      markets,
      engine: engineOptions({ config, venue, hasKey, strategies: strategies(), observe: () => undefined }),
    });
    this.#disk = disk;
    this.#strategies = strategies;
    const files = segmentBytesMax === undefined ? {} : { segmentBytesMax, packer: deflatePacker };
    this.#journal = journalOn(storage, { manifest, ...files });
  }

  static async open(options: StageOptions = {}): Promise<StagedSession> {
    const disk = new MemoryDisk();
    const folder = options.storage?.path ?? disk.open().path;
    return new StagedSession(disk, options, await manifestFor(options, folder));
  }

  override step(event: EngineEvent): void {
    this.#journal?.writeInput({ type: 'event', event });
    const commands = [...this.engine.step(event)];
    this.#journal?.writeCommands(commands);
    for (const command of commands) {
      this.sent.push({ at: this.now, command, wasLive: true });
      this.venue.acceptCommand(command);
    }
  }

  get disk(): MemoryDisk {
    return this.#disk;
  }

  /** Writes everything to the journal, with an entry of this very moment, so that the journal reaches it. */
  flushJournal(): void {
    this.step({ kind: 'timer', at: this.now });
    this.#journal?.flush();
  }

  /** Closes the journal, with an entry of this very moment before, so that the journal reaches it. */
  async close(): Promise<void> {
    if (this.#journal === null) return;
    this.step({ kind: 'timer', at: this.now });
    await this.#journal.close('done');
    this.#journal = null;
  }

  source(over: Partial<WhySource> = {}): WhySource {
    const strategies = (): Promise<readonly BoundStrategy[]> => Promise.resolve(this.#strategies());
    // Another opening of the disk would end the first.
    this.#reading ??= this.#disk.open();
    return { journal: this.#reading, indexFolder: null, version: VERSION, strategies, ...over };
  }

  /** The answer for the first strategy, now or some milliseconds ago. */
  async why(ticker = 'M-0', agoMs = 0): Promise<WhyAnswer> {
    await this.close();
    const [answer] = await answerWhy(this.source(), { ticker, atUs: this.now - agoMs * 1000 });
    if (!answer) throw new Error('no answer');
    return answer;
  }
}
