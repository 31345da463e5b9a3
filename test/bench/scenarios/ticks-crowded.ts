// Measures the time from a tick to its order while a console serves twenty clients: readers of every view, one that reads
// nothing, two that are hostile. The session is the one of `ticks-followed.ts`, with a real console in place of a follower.
import type { Notice } from '../../../src/execution/engine-notice.ts';
import type { ConsoleDoor } from '../clients/console-door.ts';
import type { CrowdFigures } from '../clients/crowd.ts';
import { type Companion, startCompanion } from '../companion.ts';
import { tickerOf } from '../frames.ts';
import type { Figures, Scenario } from '../scenario.ts';
import { measureTicks } from '../stages.ts';
import { BotUsage } from '../usage.ts';
import { changeMarkets, openMarkets, publishSession } from './ticks-followed.ts';
import { openSession } from './ticks.ts';

/** Time that the scenario gives the clients, after the measuring, to show that each was served or dropped. */
const SHOWN_MS_MAX = 60_000;
const LOOK_EVERY_MS = 500;
/** Events of a reader, and answers, by which a console shows that it serves on. The first ones may come before the ticks. */
const SERVED_MIN = 4;
const DETAILED_MARKETS = 4;

interface ConsoleFigures {
  readonly cpu: number;
  readonly memory: number;
  readonly dropped: number;
  readonly streams: number;
}

type BrowserFigures = CrowdFigures & { readonly cpu: number };

/** Figures that do not depend on the speed of the machine, once the clients have had the time to show them. */
type Shown = Pick<ConsoleFigures, 'dropped' | 'streams'> & Pick<CrowdFigures, 'fewestEvents' | 'answers' | 'broken'>;

/** A console in a process of its own, and its clients in another. */
class CrowdedConsole {
  readonly #console: Companion<string>;
  readonly #browsers: Companion<string>;

  private constructor(console: Companion<string>, browsers: Companion<string>) {
    this.#console = console;
    this.#browsers = browsers;
  }

  /** Starts both; resolves when every reader reads. */
  static async open(folder: string): Promise<CrowdedConsole> {
    const console = await startCompanion<string>('console');
    const browsers = await startCompanion<string>('browsers');
    const door = (await console.ask(folder)) as Omit<ConsoleDoor, 'tickers'>;
    const tickers = Array.from({ length: DETAILED_MARKETS }, (_, number) => tickerOf(number));
    await browsers.ask({ ...door, tickers });
    return new CrowdedConsole(console, browsers);
  }

  async console(): Promise<ConsoleFigures> {
    return (await this.#console.ask('figures')) as ConsoleFigures;
  }

  async browsers(): Promise<BrowserFigures> {
    return (await this.#browsers.ask('figures')) as BrowserFigures;
  }

  /** Waits until the reader that reads nothing is dropped and all others are served, within a bound. */
  async untilShown(): Promise<Shown> {
    for (const end = performance.now() + SHOWN_MS_MAX; ;) {
      const { dropped, streams } = await this.console();
      const { fewestEvents, answers, broken } = await this.browsers();
      const isShown = dropped > 0 && fewestEvents >= SERVED_MIN && answers >= SERVED_MIN;
      if (isShown || performance.now() > end) return { dropped, streams, fewestEvents, answers, broken };
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  stop(): void {
    this.#browsers.stop();
    this.#console.stop();
  }
}

interface Opened {
  readonly crowd: CrowdedConsole;
  readonly before: ConsoleFigures;
}

async function measure(markets: number): Promise<Figures> {
  let publish = (_notice: Notice): void => undefined;
  let opened: Opened | null = null;
  const usage = new BotUsage();
  const ticks = await measureTicks(async (server, stages) => {
    const session = await openSession(server, stages, { observe: (notice) => publish(notice) });
    const others = openMarkets(session, markets);
    const { folder, publishNotice } = await publishSession(session);
    publish = publishNotice;
    changeMarkets(session, others);
    const crowd = await CrowdedConsole.open(folder);
    await crowd.browsers();
    opened = { crowd, before: await crowd.console() };
    usage.begin();
  });
  const bot = usage.figures();
  return { ...ticks, ...bot, ...(await crowdFigures(opened)) };
}

async function crowdFigures(opened: Opened | null): Promise<Figures> {
  if (opened === null) throw new Error('the console was not opened');
  const { crowd, before } = opened;
  const [console, { cpu: browsersCpu, ...browsers }] = [await crowd.console(), await crowd.browsers()];
  const shown = await crowd.untilShown();
  crowd.stop();
  return {
    ...browsers,
    browsersCpu,
    consoleCpu: console.cpu,
    consoleMemoryStart: before.memory,
    consoleMemoryEnd: console.memory,
    ...shown,
  };
}

const scenario = (name: string, markets: number): Scenario => ({
  name,
  what: `the same among ${markets} markets beside a console with 17 readers, a stalled one and 2 hostile ones`,
  run: () => measure(markets),
});

export const crowdedTicks: readonly Scenario[] = [
  scenario('tick-1k-browsers', 1000),
  scenario('tick-10k-browsers', 10_000),
];
