// The result of a session, and the test for a good result.
import type { LedgerDifference } from '../../report/account/ledger-comparison.ts';
import type { SessionSnapshot } from '../../report/account/session-snapshot.ts';
import type { SessionEnd } from '../../runtime/session/live-session.ts';
import type { SessionTally } from '../../runtime/session/session-tally.ts';

/** Last figures of a session, the end, the files, and the differences from the exchange's ledger. */
export interface SessionResult {
  readonly snapshot: SessionSnapshot;
  readonly tally: SessionTally;
  readonly end: SessionEnd;
  readonly logFile: string;
  /** Folder of the journal. */
  readonly journal: string | null;
  /** Folder of the recording. */
  readonly recording?: string | null;
  /** Differences from the exchange's own ledger. `null` where the ledger cannot be read. */
  readonly differences: readonly LedgerDifference[] | null;
}

type SessionHalt = SessionSnapshot['halts'][number];

/** The halt is of a strategy that failed or was too slow. */
export const isStrategyFault = ({ by, scope }: SessionHalt): boolean => by === 'fault' && scope.type === 'strategy';

/** Returns the halts of strategies that failed or were too slow. */
export const strategyFaults = ({ halts }: Pick<SessionSnapshot, 'halts'>): readonly SessionHalt[] =>
  halts.filter(isStrategyFault);

/** A strategy failed in this session. Halts from earlier sessions do not count. */
export const hasStrategyFailed = (snapshot: Pick<SessionSnapshot, 'halts' | 'at' | 'elapsedMs'>): boolean =>
  strategyFaults(snapshot).some(({ since }) => since >= snapshot.at - (snapshot.elapsedMs + 1) * 1000);

/** The session ended reconciled, equal to the exchange's ledger, and without a failed strategy. */
export const isGoodResult = ({ end, differences, snapshot }: SessionResult): boolean =>
  end.type === 'stopped' && end.isReconciled && (differences ?? []).length === 0 && !hasStrategyFailed(snapshot);
