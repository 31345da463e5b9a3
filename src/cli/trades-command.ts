// `presage trades`: lists the trades of all sessions.
import { TRADE_COLUMNS } from '../history/export/history-columns.ts';
import { listTrades } from '../history/queries/history-queries.ts';
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
export function tradesCommand() {
  return questionCommand('trades')
    .addOption(strategyOption())
    .addOption(marketOption())
    .addOption(limitOption())
    .addHelpText(
      'after',
      `
Times are the venue’s where it gives them. Cash is before the fee; realized profit is by average cost.

Exit code: 0 all well; 1 a journal is damaged; 2 the command or a file is wrong.

Examples:
  presage trades --config config/local.yaml --from 2026-11-21T00:00:00Z
  presage trades --data var/local --strategy quoter --csv > trades.csv
  presage trades --data var/local --parquet trades.parquet`,
    )
    .action(async (options) => {
      process.exitCode = await answerQuestion(options, {
        columns: TRADE_COLUMNS,
        spare: ['trade', 'session', 'order', 'role', 'cash'],
        ask: (store) => listTrades(store, filterOf(options), limitOf(options)).rows,
        whenEmpty: 'no trades in the journals for this question',
      });
    });
}
