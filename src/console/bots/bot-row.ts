// A bot's row of the overview, from what its frames say and from what its folder says. Pure. Must never show a dead bot as
// alive: figures carry the time at which they were known.
import type { BotRow } from '../api/api-schemas.ts';
import type { BotSource } from './bot-source.ts';

/** Facts from the data folder of a bot, whether or not its process lives. */
export interface FolderFacts {
  /** True when a session ran here. */
  readonly hasRun: boolean;
  readonly halts: BotRow['halts'];
  /** Process id that the control socket's file names; `null` when there is none. */
  readonly pid: number | null;
  readonly watchdog: BotRow['process']['watchdog'];
  /** The latest session that ran here; `null` when unknown. */
  readonly session: string | null;
  /** Time of the latest change of a file that the bot writes; `null` when there is none. */
  readonly changedUs: number | null;
}

export interface BotRowOptions {
  readonly bot: string;
  readonly source: BotSource;
  readonly folder: FolderFacts;
  readonly equity: BotRow['equity'];
  readonly nowUs: number;
}

/** Time without a frame after which a connected bot hangs. A bot sends a heartbeat each second. Microseconds. */
export const HANGS_AFTER_US = 5_000_000;

/** Returns the state of the process. */
export function processOf({
  source,
  folder,
  nowUs,
}: Pick<BotRowOptions, 'source' | 'folder' | 'nowUs'>): BotRow['process'] {
  const { link, lastFrameUs, state } = source;
  const { watchdog } = folder;
  const isFresh = lastFrameUs !== null && nowUs - lastFrameUs < HANGS_AFTER_US;
  if (link === 'absent') {
    const name = folder.hasRun || state !== null ? 'dead' : 'never ran';
    return { state: name, pid: null, lastSeenUs: lastFrameUs ?? folder.changedUs, watchdog };
  }
  const pid = state?.hello.pid ?? folder.pid;
  return { state: link === 'connected' && isFresh ? 'running' : 'hangs', pid, lastSeenUs: lastFrameUs, watchdog };
}

/** Returns the row of a bot. */
export function botRow(options: BotRowOptions): BotRow {
  const { bot, source, folder, equity } = options;
  const { state } = source;
  const process = processOf(options);
  const session = state?.session?.value ?? null;
  const account = session !== null && session.account.isOpen ? session.account : null;
  const isRunning = process.state === 'running';
  return {
    bot,
    process,
    asOfUs: state?.session?.atUs ?? folder.changedUs,
    session: state?.hello.session ?? folder.session,
    profile: state?.hello.profile ?? null,
    isPaper: state?.hello.isPaper ?? false,
    phase: session !== null && isRunning ? session.phase : null,
    // The files of the latch hold even when the process does not live.
    halts: isRunning && session !== null ? session.halts : folder.halts,
    equityMicros: account?.equityMicros ?? null,
    dayMicros: account?.dayMicros ?? null,
    profitMicros: account?.profitMicros ?? null,
    exposureMicros: account?.exposureMicros ?? null,
    exposureMaxMicros: account?.exposureMaxMicros ?? null,
    feed: session === null ? null : { isUp: session.feed.isUp, ageMs: session.feed.ageMs, lagMs: session.feed.lagMs },
    budgets: session === null ? null : { read: session.budgets.read, trade: session.budgets.trade },
    workingOrders: session?.orders.working ?? null,
    alarms: session?.alarms ?? [],
    lastFillUs: session?.lastFillUs ?? null,
    equity,
  };
}
