// `presage positions`: lists what the account holds by the journals, also while no bot runs.
import { HELD_COLUMNS } from '../history/export/history-columns.ts';
import { listHeld } from '../history/queries/account-query.ts';
import { answerQuestion, marketOption, rowsCommand } from './history/history-question.ts';

/** Creates the command. */
export function positionsCommand() {
  return rowsCommand('positions')
    .addOption(marketOption())
    .addHelpText(
      'after',
      `
held is negative for a position in NO. mark is the last price of YES in the journals, and value the position's value at it.
The account may have changed since as_of, the time of the last entry: orders that rested may have filled. A running bot's
own figures are in \`presage status\`. On paper, positions end with their session.

Exit code: 0 all well; 1 a journal is damaged; 2 the command or a file is wrong.

Examples:
  presage positions --config config/local.yaml
  presage positions --data var/local --json`,
    )
    .action(async (options) => {
      process.exitCode = await answerQuestion(options, {
        columns: HELD_COLUMNS,
        spare: ['as_of', 'realized', 'fees', 'mark'],
        ask: (store) => listHeld(store, { market: options.market }),
        whenEmpty: 'no positions in the journals for this question',
      });
    });
}
