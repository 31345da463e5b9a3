// `presage orders`: lists the orders of all sessions.
import { Option } from '@commander-js/extra-typings';
import { ORDER_QUERY_STATES } from '../history/facts/fact-rows.ts';
import { ORDER_COLUMNS } from '../history/export/history-columns.ts';
import { listOrders } from '../history/queries/history-queries.ts';
import {
  answerQuestion,
  filterOf,
  questionCommand,
  limitOf,
  limitOption,
  marketOption,
  strategyOption,
} from './history/history-question.ts';

/** Creates the command. */
export function ordersCommand() {
  return questionCommand('orders')
    .addOption(strategyOption())
    .addOption(marketOption())
    .addOption(
      new Option('--state <state>', 'only orders in this state; open: every order that has not ended').choices(
        ORDER_QUERY_STATES,
      ),
    )
    .addOption(limitOption())
    .addHelpText(
      'after',
      `
The times are those at which orders were sent. \`presage journal inspect --order ID\` shows one order in full.
Orders on paper end with their session. After a crash they are open until the next session begins.

Exit code: 0 all well; 1 a journal is damaged; 2 the command or a file is wrong.

Examples:
  presage orders --config config/local.yaml --market KXHIGHNY-26NOV23-B45.5
  presage orders --config config/local.yaml --state open
  presage orders --data var/local --state rejected --json`,
    )
    .action(async (options) => {
      process.exitCode = await answerQuestion(options, {
        columns: ORDER_COLUMNS,
        spare: ['venue_order', 'session', 'ended', 'why', 'order'],
        ask: (store) =>
          listOrders(
            store,
            { ...filterOf(options), ...(options.state !== undefined && { state: options.state }) },
            limitOf(options),
          ).rows,
        whenEmpty: 'no orders in the journals for this question',
      });
    });
}
