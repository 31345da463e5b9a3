// `presage trades`: lists the trades of all sessions.
import { Command } from '@commander-js/extra-typings';
import { TRADE_COLUMNS } from '../history/export/history-columns.ts';
import { listTrades } from '../history/queries/history-queries.ts';
import {
  answerQuestion,
  configOption,
  csvOption,
  dataOption,
  filterOf,
  fromOption,
  jsonOption,
  limitOf,
  limitOption,
  marketOption,
  parquetOption,
  strategyOption,
  toOption,
} from './history/history-question.ts';

/** Creates the command. */
export function tradesCommand() {
  return new Command('trades')
    .description('List the trades of all sessions, the newest first.')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(fromOption())
    .addOption(toOption())
    .addOption(strategyOption())
    .addOption(marketOption())
    .addOption(limitOption())
    .addOption(csvOption())
    .addOption(jsonOption())
    .addOption(parquetOption())
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
        ask: (store) => listTrades(store, filterOf(options), limitOf(options)).rows,
        whenEmpty: 'no trades in the journals for this question',
      });
    });
}
