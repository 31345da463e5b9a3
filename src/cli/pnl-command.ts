// `presage pnl`: sums profit by day, strategy, market or series.
import { Option } from '@commander-js/extra-typings';
import { profitColumns } from '../history/export/history-columns.ts';
import { PROFIT_GROUPS, type ProfitGroup, sumProfit } from '../history/queries/profit-queries.ts';
import { answerQuestion, filterOf, questionCommand, marketOption, strategyOption } from './history/history-question.ts';

/** Creates the command. */
export function pnlCommand() {
  return questionCommand('pnl')
    .addOption(new Option('--by <group>', 'the group of a row').choices(PROFIT_GROUPS).default('day'))
    .addOption(strategyOption())
    .addOption(marketOption())
    .addHelpText(
      'after',
      `
Profit is cash of fills and payouts, less fees, plus the change of the positions’ value at their marks. Deposits and
withdrawals are no part of it. Days are days of UTC; --from and --to are rounded to whole days. cash, paid and marks are
sums over strategies, each counted alone: where two hold opposite sides of a market, the exchange pays out each pair at
once, and pnl counts its dollar as marks until the settlement. The cash of \`presage trades\` is the account's.

Exit code: 0 all well; 1 a journal is damaged; 2 the command or a file is wrong.

Examples:
  presage pnl --config config/local.yaml
  presage pnl --data var/local --by strategy --from 2026-11-01T00:00:00Z
  presage pnl --data var/local --by market --csv > pnl.csv`,
    )
    .action(async (options) => {
      const by: ProfitGroup = options.by;
      process.exitCode = await answerQuestion(options, {
        columns: profitColumns(by),
        ask: (store) => sumProfit(store, by, filterOf(options)),
        whenEmpty: 'no profit in the journals for this question: nothing was traded',
      });
    });
}
