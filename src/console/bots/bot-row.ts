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
/** A new session whose files have changed within this time counts as one that starts. Microseconds. */
const STARTS_WITHIN_US = 5_000_000;

type ProcessFacts = Pick<BotRowOptions, 'source' | 'folder' | 'nowUs'>;

/** Returns the state of the bot's process. */
export function processOf({ source, folder, nowUs }: ProcessFacts): BotRow['process'] {
  const { link, lastFrameUs, state } = source;
  const { watchdog, strike, ended } = folder;
  const isFresh = lastFrameUs !== null && nowUs - lastFrameUs < HANGS_AFTER_US;
  const lastSeenUs = lastFrameUs ?? folder.changedUs;
  if (link === 'absent')
    return { state: stateWithout({ source, folder, nowUs }), pid: null, lastSeenUs, watchdog, strike, ended };
  const pid = state?.hello.pid ?? folder.pid;
  const hasAnswered = lastFrameUs !== null && !isOtherSession(source, folder);
  const name = link === 'connected' && isFresh ? 'running' : hasAnswered ? 'hangs' : 'no answer';
  return { state: name, pid, lastSeenUs, watchdog, strike: null, ended: null };
}

/** True when the folder's last session is not the one that the console has seen. */
const isOtherSession = ({ state }: BotSource, { session }: FolderFacts): boolean =>
  state !== null && state.hello.session !== session;

/** Returns the state of a bot to which there is no connection. A bot that starts writes its files before it listens. */
function stateWithout({ source, folder, nowUs }: ProcessFacts): BotRow['process']['state'] {
  const { ended, hasRun, changedUs } = folder;
  if (ended !== null) return 'stopped';
  if (!hasRun && source.state === null) return 'never ran';
  const isNew = source.state === null || isOtherSession(source, folder);
  return isNew && changedUs !== null && Math.abs(nowUs - changedUs) < STARTS_WITHIN_US ? 'no answer' : 'dead';
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
    remarks: isRunning ? (session?.remarks ?? []) : [],
    alarms: session?.alarms ?? [],
    lastFillUs: session?.lastFillUs ?? null,
    equity,
  };
}
