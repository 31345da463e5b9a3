// `presage history`: makes the history of a data folder again, or shows its state.
import { Command } from '@commander-js/extra-typings';
import { micros } from '../domain/units.ts';
import { askHistory, type HistoryStatus, readHistoryStatus } from '../history/history-reader.ts';
import { updateHistory } from '../history/history-index.ts';
import { countedNoun } from '../report/text/figure-text.ts';
import { isoMicros } from '../tape/format/iso-time.ts';
import {
  type FolderOptions,
  configOption,
  dataFolderOf,
  dataOption,
  reportUpdate,
  showingProgress,
} from './history/history-question.ts';
import { printRecord } from './output/print-lines.ts';
import { bytesText } from './output/text-format.ts';

type HistoryOptions = FolderOptions & { readonly json?: true };

const EXIT_CODES = '\nExit code: 0 all well; 1 a journal is damaged; 2 the command or a file is wrong.\n';

/** Creates the command. */
export function historyCommand() {
  return new Command('history')
    .addCommand(rebuildCommand())
    .addCommand(statusCommand())
    .addHelpText(
      'after',
      `
The history is derived from the journals: it may be deleted at any time, and is made again. \`presage trades\`,
\`orders\`, \`sessions\`, \`timeline\` and \`pnl\` bring it up to date before they answer.`,
    );
}

function rebuildCommand() {
  return new Command('rebuild')
    .description('Make the history again from the journals.')
    .addOption(configOption())
    .addOption(dataOption())
    .option('--json', 'print one JSON record')
    .addHelpText('after', `${EXIT_CODES}\nExample:\n  presage history rebuild --config config/local.yaml`)
    .action(async (options) => {
      process.exitCode = await rebuild(options);
    });
}

function statusCommand() {
  return new Command('status')
    .description('Show how far the journals are read, and what is missing.')
    .addOption(configOption())
    .addOption(dataOption())
    .option('--json', 'print one JSON record')
    .addHelpText('after', `${EXIT_CODES}\nExample:\n  presage history status --data var/local`)
    .action(async (options) => {
      process.exitCode = await showStatus(options);
    });
}

async function rebuild(options: HistoryOptions): Promise<number> {
  const dataFolder = dataFolderOf(options);
  const result = await showingProgress((onProgress) => updateHistory({ dataFolder, isRemade: true, onProgress }));
  const line = `the history of ${dataFolder} is made again from ${countedNoun(result.entries, 'entry', 'entries')}`;
  printRecord(options.json, { type: 'history-rebuilt', dataFolder, ...result }, [line]);
  return reportUpdate(result);
}

async function showStatus(options: HistoryOptions): Promise<number> {
  const dataFolder = dataFolderOf(options);
  const { answer, update } = await showingProgress((onProgress) =>
    askHistory({ dataFolder, onProgress }, readHistoryStatus),
  );
  printRecord(options.json, { type: 'history-status', dataFolder, ...answer }, statusLines(answer));
  return reportUpdate(update);
}

function statusLines({ journals, sessions, orders, fills, missing }: HistoryStatus): string[] {
  const counts = [countedNoun(sessions, 'session'), countedNoun(orders, 'order'), countedNoun(fills, 'fill')];
  return [
    ...(journals.length === 0 ? ['no journal yet: a bot with a data folder writes one'] : []),
    ...journals.map(
      ({ journal, readTo, lastUs, bytes, fault }) =>
        `${journal}: read to entry ${readTo} of ${isoMicros(micros(lastUs))}, ${bytesText(bytes)} on disk` +
        (fault === null ? '' : `; DAMAGED: ${fault}`),
    ),
    counts.join(', '),
    ...missing.map(({ session, text }) => `session ${session}: ${text}`),
  ];
}
