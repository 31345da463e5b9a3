// `presage timeline`: lists what happened besides trading: sessions, alarms, halts, operator's actions, payouts.
import { Option } from '@commander-js/extra-typings';
import { UsageError } from '../app/usage-error.ts';
import { TIMELINE_COLUMNS } from '../history/export/history-columns.ts';
import { TIMELINE_KINDS, listTimeline } from '../history/queries/history-queries.ts';
import { answerQuestion, filterOf, questionCommand, limitOf, limitOption } from './history/history-question.ts';

/** Creates the command. */
export function timelineCommand() {
  return questionCommand('timeline')
    .addOption(new Option('--kind <kinds>', `only these kinds, separated by commas: ${TIMELINE_KINDS.join(', ')}`))
    .addOption(limitOption())
    .addHelpText(
      'after',
      `
who is the person who gave an order, on the console or by the command line; operator where a HALT file or a signal gave it;
watchdog; risk for a limit; or fault. Sessions of an earlier version have the halts that each session found in force, and no alarms.

Exit code: 0 all well; 1 a journal is damaged; 2 the command or a file is wrong.

Examples:
  presage timeline --config config/local.yaml --kind alarm,halt,resume
  presage timeline --data var/local --from 2026-11-21T00:00:00Z --csv > timeline.csv`,
    )
    .action(async (options) => {
      const kinds = kindsOf(options.kind);
      process.exitCode = await answerQuestion(options, {
        columns: TIMELINE_COLUMNS,
        spare: ['session', 'who'],
        ask: (store) => listTimeline(store, { ...filterOf(options), kinds }, limitOf(options)).rows,
        whenEmpty: 'nothing of this kind in the journals for this question',
      });
    });
}

/** @throws {UsageError} for a kind that no row has. */
function kindsOf(text: string | undefined): string[] {
  const kinds = text?.split(',').map((kind) => kind.trim()) ?? [];
  const unknown = kinds.find((kind) => !TIMELINE_KINDS.some((known) => known === kind));
  if (unknown === undefined) return kinds;
  throw new UsageError(`--kind: expected some of ${TIMELINE_KINDS.join(', ')}, found ${JSON.stringify(unknown)}`);
}
