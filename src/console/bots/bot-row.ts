// Makes a bot's row of the overview from its frames and its folder. Pure. Must never show a dead bot as alive.
import type { BotRow } from '../api/api-schemas.ts';
import type { BotSource } from './bot-source.ts';

/** Facts from the data folder of a bot. */
export interface FolderFacts {
  readonly hasRun: boolean;
  readonly halts: BotRow['halts'];
  /** Process id in the file of the control socket; `null` when there is no such file. */
  readonly pid: number | null;
  readonly watchdog: BotRow['process']['watchdog'];
  readonly strike: BotRow['process']['strike'];
  readonly session: string | null;
  /** True for a folder of paper sessions. False while its journal does not say it. */
  readonly isPaper: boolean;
  /** End of the last session; `null` when it has none: the bot runs, or its process died. */
  readonly ended: BotRow['process']['ended'];
  /** Latest change of the bot's files; `null` when there is none. Microseconds since the Unix epoch. */
  readonly changedUs: number | null;
}

export interface BotRowOptions {
  readonly bot: string;
  readonly isPaper: boolean;
  readonly source: BotSource;
  readonly folder: FolderFacts;
  readonly equity: BotRow['equity'];
  readonly nowUs: number;
}

/**
 * Time without a frame after which a connected bot is shown as hanging. A bot without a first frame may also start, be of
 * another version, or have too many followers. Microseconds.
 */
export const HANGS_AFTER_US = 5_000_000;

/** Returns the state of the bot's process. */
export function processOf({
  source,
  folder,
  nowUs,
}: Pick<BotRowOptions, 'source' | 'folder' | 'nowUs'>): BotRow['process'] {
  const { link, lastFrameUs, state } = source;
  const { watchdog, strike, ended } = folder;
  const isFresh = lastFrameUs !== null && nowUs - lastFrameUs < HANGS_AFTER_US;
  const lastSeenUs = lastFrameUs ?? folder.changedUs;
  if (link === 'absent')
    return { state: stateWithout(folder, state !== null), pid: null, lastSeenUs, watchdog, strike, ended };
  const pid = state?.hello.pid ?? folder.pid;
  const name = link === 'connected' && isFresh ? 'running' : lastFrameUs === null ? 'no answer' : 'hangs';
  return { state: name, pid, lastSeenUs, watchdog, strike: null, ended: null };
}

/** Returns the state of a bot that no process serves. */
function stateWithout({ ended, hasRun }: FolderFacts, wasSeen: boolean): BotRow['process']['state'] {
  if (ended !== null) return 'stopped';
  return hasRun || wasSeen ? 'dead' : 'never ran';
}

/** Returns the bot's row of the overview. */
export function botRow(options: BotRowOptions): BotRow {
  const { bot, isPaper, source, folder, equity } = options;
  const { state } = source;
  const process = processOf(options);
  const session = state?.session?.value ?? null;
  const account = session !== null && session.account.isOpen ? session.account : null;
  const isRunning = process.state === 'running';
  return {
    bot,
    process,
    asOfUs: state?.session?.atUs ?? null,
    session: state?.hello.session ?? folder.session,
    profile: state?.hello.profile ?? null,
    isPaper,
    phase: session !== null && isRunning ? session.phase : null,
    // The saved halts are in force even when the process is dead.
    halts: isRunning && session !== null ? session.halts : folder.halts,
    equityMicros: account?.equityMicros ?? null,
    dayMicros: account?.dayMicros ?? null,
    profitMicros: account?.profitMicros ?? null,
    exposureMicros: account?.exposureMicros ?? null,
    exposureMaxMicros: account?.exposureMaxMicros ?? null,
    feed: session === null ? null : { isUp: session.feed.isUp, ageMs: session.feed.ageMs, lagMs: session.feed.lagMs },
    budgets: session === null ? null : { read: session.budgets.read, trade: session.budgets.trade },
    workingOrders: session?.orders.working ?? null,
    isExchangePaused: isRunning && session?.isExchangeTrading === false,
    alarms: session?.alarms ?? [],
    lastFillUs: session?.lastFillUs ?? null,
    equity,
  };
}
