// `presage record`: records the public data of a venue on a tape. Must never place an order.
import { Command } from '@commander-js/extra-typings';
import { isEmptyRecording, runRecording } from '../app/session/recording-run.ts';
import { durationArgument, namesArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { rawStream } from './output/terminal-escapes.ts';
import { RecordDisplay, recordEndingText } from './show/record-display.ts';

interface RecordOptions {
  readonly config: string;
  readonly for?: number;
  readonly out?: string;
  readonly markets?: readonly string[];
  readonly events?: readonly string[];
  readonly series?: readonly string[];
  readonly json?: true;
}

/** Creates the command. */
export function recordCommand() {
  return new Command('record')
    .requiredOption('--config <file>', 'a bot’s config: its venue and markets are used, its strategies are not run')
    .option('--for <duration>', 'stop after this time, such as 30s or 2h', durationArgument)
    .option('--out <folder>', 'the tape’s folder; an existing tape is continued (default: recordings/<date and time>)')
    .option('--markets <tickers>', 'these markets, with commas between, in place of the config’s', namesArgument)
    .option('--events <tickers>', 'every market of these event groups, likewise', namesArgument)
    .option('--series <tickers>', 'every market of these series, also those that appear later, likewise', namesArgument)
    .option('--json', 'print JSON lines: progress each second, and a summary at the end')
    .addHelpText(
      'after',
      `
A key is used only where the venue requires one for public data; nothing of the account is read or recorded. Ctrl-C (or
SIGTERM) ends the recording cleanly. After a crash it can be read, except for a torn last line.

Exit code: 0 all well; 1 it ended badly: a full disk, a fault; 2 a config, key or folder is wrong, or the venue refused.

Examples:
  presage record --config config/demo.yaml --for 1m  from the exchange inside
  presage record --config config/local.yaml --out tapes/rain --series RAIN
  presage tape info tapes/rain                       what is on it
  presage tape verify tapes/rain                     whether it is as written`,
    )
    .action(async (options) => {
      process.exitCode = await record(options);
    });
}

async function record(options: RecordOptions): Promise<number> {
  const { config: file, for: forMs, out, markets, events, series, json: isJson = false } = options;
  const { end, figures, isWritten } = await runRecording({
    file,
    forMs,
    out,
    markets,
    events,
    series,
    makeDisplay: (readFigures) => new RecordDisplay({ isJson, output: rawStream(process.stdout), readFigures }),
    onMissing: (names) => void process.stderr.write(`presage: not found at the venue: ${names.join(', ')}\n`),
    onResult: (result) => void process.stdout.write(recordEndingText(result, isJson)),
  });
  if (end.type === 'refused' || (figures.answers > 0 && figures.markets === 0)) return ExitCode.usage;
  return end.type === 'stopped' && isWritten && !isEmptyRecording(figures) ? ExitCode.ok : ExitCode.session;
}
