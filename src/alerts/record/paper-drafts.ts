// The advice in alerts of a paper session. Must never name a command that would act on the live bot of the same config.
import type { AlertDraft } from './alert-record.ts';

/** Commands that act on the live bot unless `--paper` follows. */
const OPERATOR_COMMAND = /`presage (?:status|resume|halt|override)(?= --|`)/g;
/** Advice for the live bot alone: other commands that change something, and halts with a look at the exchange. */
const LIVE_ADVICE =
  /`presage (?!status |resume |doctor |halt |override\b)|exchange.*`presage halt|`presage halt.*exchange/;

/** Returns the draft with the commands for a paper session. */
export function draftOnPaper(draft: AlertDraft, configFile: string): AlertDraft {
  const advice = draft.do.replaceAll(OPERATOR_COMMAND, '$& --paper');
  return { ...draft, do: LIVE_ADVICE.test(draft.do) ? generalAdvice(configFile) : advice };
}

const generalAdvice = (configFile: string): string =>
  `Nothing at the exchange: the account is simulated. \`presage status --paper --config ${configFile}\` shows the session, and Ctrl-C ends it.`;
