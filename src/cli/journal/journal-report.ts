// `presage journal report`: the report of a session that is over, from its journal: the engine runs again over what came
// in, and is looked at as it does. Must never report a replay that went another way as if it were the session.
import type { Micros } from '../../domain/units.ts';
import type { Engine } from '../../engine.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { renderJson } from '../../report/text/json-report.ts';
import type { RunFacts } from '../../report/record/run-record.ts';
import { RunRecorder } from '../../report/record/run-recorder.ts';
import { reportOfRun } from '../../report/statement/statement.ts';
import { renderText } from '../../report/text/text-report.ts';
import { type ReplayedSession, replayTape } from '../../runtime/replay/tape-replay.ts';
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';
import type { Manifest } from '../../tape/format/segment-header.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { verifyTape } from '../../tape/tools/verify-tape.ts';
import { ExitCode } from '../output/exit-code.ts';
import { reservePage, writePage } from '../../app/report-page.ts';
import { strategyFacts } from '../../app/strategy/strategy-facts.ts';
import { UsageError } from '../../app/usage-error.ts';

/** Options of the command line. */
export interface JournalReportOptions {
  readonly session?: string;
  readonly strategies?: string;
  readonly allowChanged?: true;
  readonly html?: string;
  readonly json?: true;
  readonly folder: string;
  /** Makes a session's strategies anew. */
  readonly remake: (
    manifest: Manifest,
    folder: string,
    options: Pick<JournalReportOptions, 'strategies' | 'allowChanged'>,
  ) => Promise<BoundStrategy[]>;
}

/** Looks at one session while it is replayed. */
class Watch {
  #keeper: RunRecorder | null = null;
  #manifest: Manifest | null = null;
  #events = 0;
  #now: number = 0;

  begin(manifest: Manifest): void {
    this.#manifest = manifest;
  }

  passing(at: Micros, engine: Engine): void {
    const keeper = (this.#keeper ??= new RunRecorder({ engine }));
    if (at >= keeper.dueAt) keeper.onTimePassed(at);
    this.#events += 1;
    this.#now = Math.max(this.#now, at);
  }

  take(notice: Notice): void {
    this.#keeper?.onNotice(notice);
  }

  /** `null` when nothing was replayed. */
  record(): ReturnType<RunRecorder['runRecord']> | null {
    return this.#keeper && this.#manifest && this.#keeper.runRecord(this.#facts(this.#manifest));
  }

  #facts({ isPaper, strategies }: Manifest): RunFacts {
    return {
      kind: isPaper ? 'paper' : 'live',
      ...strategyFacts(strategies),
      to: this.#now,
      isPartial: false,
      seed: 0,
      decisionHash: '',
      models: {},
      coverage: null,
      events: this.#events,
    };
  }
}

/**
 * Reports a session. Returns the exit code.
 * @throws {UsageError} when there is no such session, or nothing of it that can be replayed.
 */
export async function reportSession(storage: Storage, options: JournalReportOptions): Promise<number> {
  const session = options.session ?? verifyTape(storage).sessions.at(-1)?.session;
  if (session === undefined) throw new UsageError(`${options.folder}: expected a session, found none`);
  if (options.html !== undefined) reservePage(options.html);
  const watch = new Watch();
  const { sessions } = await replayTape({
    storage,
    session,
    strategies: (manifest) => {
      watch.begin(manifest);
      return options.remake(manifest, options.folder, options);
    },
    observe: (notice) => watch.take(notice),
    beforeEvent: (at, engine) => watch.passing(at, engine),
  });
  const [replayed] = sessions;
  if (!replayed) throw new UsageError(`--session: expected one of the journal’s, found ${JSON.stringify(session)}`);
  refuseOther(replayed);
  const record = watch.record();
  if (record === null) throw new UsageError(`session ${session}: expected something that came in, found nothing`);
  print(record, options);
  return ExitCode.ok;
}

/** @throws {UsageError} when the replay is not what the session was. */
function refuseOther({ session, leftOut, difference }: ReplayedSession): void {
  if (leftOut !== null) throw new UsageError(`session ${session} cannot be replayed: ${leftOut}`);
  if (difference !== null)
    throw new UsageError(
      `session ${session}: its replay went another way at entry ${difference.seq}: \`presage journal replay\` tells how`,
    );
}

function print(record: Parameters<typeof reportOfRun>[0], { html, json }: JournalReportOptions): void {
  const report = reportOfRun(record);
  if (html !== undefined) writePage(html, report);
  process.stdout.write(json ? `${renderJson(report)}\n` : renderText(report, { width: process.stdout.columns ?? 100 }));
  if (html !== undefined && !json) process.stdout.write(`\nreport: ${html}\n`);
}
