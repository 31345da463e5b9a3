// The watchdog strikes when the bot has died or hangs: it cancels the bot's orders. These alerts report a strike.
import type { StrikeCause } from '../../runtime/watchdog/bot-watchdog.ts';
import type { CancelSweepResult } from '../../runtime/session/cancel-sweep.ts';
import { countedNoun } from '../../report/text/figure-text.ts';
import type { AlertDraft } from './alert-record.ts';
import { cleanPart } from './alert-text.ts';

/** A strike of the watchdog. */
export interface Strike {
  readonly bot: string;
  readonly configFile: string;
  readonly cause: StrikeCause;
  readonly pid: number;
  /** Name of the session; empty before the session began. */
  readonly session: string;
  readonly silentMs: number;
  /** Time of the strike, ISO 8601. */
  readonly at: string;
}

/** Result of the watchdog's cancels; `null` while the watchdog cancels. */
export type StrikeResult = Pick<CancelSweepResult, 'isDone' | 'canceled' | 'left' | 'trouble'> | null;

/** Code of the alert of a strike. */
export const strikeCode = (cause: StrikeCause): string => (cause === 'died' ? 'bot-dead' : 'bot-hangs');

/** Returns the draft of a strike. */
export function draftOfStrike(strike: Strike, result: StrikeResult): AlertDraft {
  const { bot, cause, pid, session, silentMs, at } = strike;
  const time = `${at.slice(11, 19)}Z`;
  const isDead = cause === 'died';
  return {
    severity: 'critical',
    code: result === null || result.isDone ? strikeCode(cause) : `${strikeCode(cause)}-orders-left`,
    scope: session,
    title: isDead ? `${bot} is dead` : `${bot} hangs`,
    happened: isDead
      ? `Its process ${pid} ended before ${time} without a goodbye.`
      : `Its process ${pid} has given no sign of life for ${Math.round(silentMs / 1000)} s, at ${time}. The account is halted until a person resumes it.`,
    did: cleanPart(canceledWords(result)),
    do: adviceOf(strike, result),
    figures: { pid, session, silentMs: Math.round(silentMs), ...(result && { canceled: result.canceled }) },
  };
}

function canceledWords(result: StrikeResult): string {
  if (result === null) return 'The watchdog is canceling its orders; another message says how that ended.';
  const { isDone, canceled, left, trouble } = result;
  if (isDone)
    return `The watchdog canceled ${countedNoun(canceled, 'order')}, and the exchange’s list of its orders is empty.`;
  const rest =
    left === null
      ? 'the exchange’s list could not be read'
      : `${countedNoun(left.length, 'order')} still ${left.length === 1 ? 'rests' : 'rest'}`;
  return `The watchdog canceled ${countedNoun(canceled, 'order')} and gave up: ${rest}${trouble === null ? '' : ` (${trouble})`}.`;
}

function adviceOf({ configFile, cause, pid }: Strike, result: StrikeResult): string {
  if (result?.isDone === false)
    return `Cancel the orders at the exchange now, or run \`presage halt --config ${configFile}\`.`;
  if (cause === 'died')
    return 'Look at the end of the log and at the system’s journal, then start it again: it resolves what was in flight before it trades.';
  return `Look at the process ${pid}: end it if it stays silent, and start it again. Then \`presage resume --config ${configFile} --reason …\`.`;
}
