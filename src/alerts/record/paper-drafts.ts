// The advice in alerts of a paper session. Must never name a command that would act on the live bot of the same config.
import type { AlertDraft } from './alert-record.ts';

/** The end of the advice for a halt by a loss. */
const OVERRIDE_ADVICE = / It halts again at once unless `presage override`.*$/;
/** Commands without `--paper` that change something. */
const LIVE_COMMAND = /`presage (?!status |resume |doctor )/;

/** Returns the draft with the commands for a paper session. */
export function draftOnPaper(draft: AlertDraft, configFile: string): AlertDraft {
  const advice = draft.do
    .replace(OVERRIDE_ADVICE, ' While the loss lasts it halts again at once: end the session first.')
    .replaceAll(/`presage (?:status|resume) --/g, '$&paper --');
  return { ...draft, do: LIVE_COMMAND.test(advice) ? generalAdvice(configFile) : advice };
}

const generalAdvice = (configFile: string): string =>
  `Nothing at the exchange: the account is simulated. \`presage status --paper --config ${configFile}\` shows the session, and Ctrl-C ends it.`;
