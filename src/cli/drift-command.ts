// `presage drift`: compares a venue's answers and messages with its published files and with our schemas, and lists the
// differences. Must never trade.
import { Command, Option } from '@commander-js/extra-typings';
import { passedOverText } from '../app/drift/drift-recordings.ts';
import { runDrift } from '../app/drift/drift-run.ts';
import { UsageError } from '../app/usage-error.ts';
import { countedNoun } from '../report/text/figure-text.ts';
import { wrappedText } from '../report/text/text-columns.ts';
import type { DriftReport, DriftRow } from '../venues/trade-api/drift/drift-tally.ts';
import { durationArgument } from './arguments/argument-parsers.ts';
import { ExitCode } from './output/exit-code.ts';
import { printLines } from './output/print-lines.ts';
import { columns } from './output/text-format.ts';
import { reportingTapeFaults } from './tape/tape-opening.ts';
import { terminalWidth } from './output/terminal-size.ts';

interface DriftCommandOptions {
  readonly config?: string;
  readonly recordings?: string;
  readonly profile?: string;
  readonly for: number;
  readonly openapi?: string;
  readonly asyncapi?: string;
  readonly json?: true;
}

/** Creates the command. */
export function driftCommand() {
  return new Command('drift')
    .option('--config <file>', 'a bot’s config: its venue and markets are watched, nothing is traded')
    .addOption(
      new Option('--for <duration>', 'how long to watch')
        .argParser(durationArgument)
        .default(durationArgument('1m'), '1m'),
    )
    .option('--recordings <folder>', 'in place of watching: a folder of recorded answers and messages, or a tape')
    .option('--profile <name>', 'the profile that was recorded (default: what its tapes name; kalshi without one)')
    .option('--openapi <file>', 'the venue’s OpenAPI file of its requests, as it is or gzipped')
    .option('--asyncapi <file>', 'the venue’s AsyncAPI file of its feed, likewise')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Recordings are: NAME.json with its request in NAME.meta.json ({"method","path","status"}); NAME.jsonl with a message of the
feed, or an answer with "method", "url", "status" and "response_body", a line; the folders of \`presage record\` and of
journals. With a key the account is read too, and nothing else is done with it.

Exit code: 0 nothing differs; 1 something does, or a tape is damaged; 2 the command or a file is wrong.

Examples:
  presage drift --config config/kalshi-demo.yaml --for 5m --openapi openapi.yaml --asyncapi asyncapi.yaml
  presage drift --recordings recordings/2026-11-21 --openapi openapi.yaml.gz`,
    )
    .action(async (options) => {
      process.exitCode = await reportingTapeFaults(() => drift(options));
    });
}

async function drift({ config, recordings, profile, json, ...options }: DriftCommandOptions): Promise<number> {
  const { report, passedOver, problem } = await runDrift({
    ...options,
    configFile: config,
    recordings,
    profile,
    forMs: options.for,
  });
  printLines(
    json ? [JSON.stringify({ ...report, passedOver })] : render(report, passedOver, terminalWidth(process.stdout)),
  );
  if (problem !== null) throw new UsageError(problem);
  return report.rows.length === 0 ? ExitCode.ok : ExitCode.session;
}

/** Renders the numbers of answers and messages, then the differences by schema and place. */
export function render(
  { answers, messages, dropped, rows }: DriftReport,
  passedOver: readonly string[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const lines = [`compared ${countedNoun(answers, 'answer')} and ${countedNoun(messages, 'message')}`];
  if (passedOver.length > 0) lines.push(passedOverText(passedOver));
  if (rows.length === 0) return [...lines, 'nothing differs'];
  for (const beside of ['published', 'ours'] as const) {
    const own = rows.filter((row) => row.beside === beside);
    if (own.length === 0) continue;
    lines.push(
      '',
      `${beside === 'published' ? 'differences from the venue’s published files' : 'differences from our schemas'}:`,
    );
    for (const where of new Set(own.map((row) => row.where)))
      lines.push(`  ${where}`, ...rowsText(own, { where, width }));
  }
  if (dropped > 0) lines.push('', `${dropped} more differences were dropped`);
  return lines;
}

const WORDS: Readonly<Record<DriftRow['kind'], string>> = {
  'unknown-field': 'unknown member',
  'missing-field': 'missing member',
  'new-value': 'new value',
  'wrong-type': 'wrong type',
  undescribed: 'not described',
};

function rowsText(
  rows: readonly DriftRow[],
  { where, width }: { readonly where: string; readonly width: number },
): string[] {
  const own = rows.filter((row) => row.where === where);
  const heads = columns(own.map(({ kind, path, count }) => [`    ${WORDS[kind]}: ${path}`, `×${count}`]));
  return own.flatMap(({ expected, found }, index) => {
    const head = heads[index] ?? '';
    const words = `expected ${expected}, found ${found}`;
    if (head.length + 2 + words.length <= width) return [`${head}  ${words}`];
    return [head, ...wrappedText(words, width - 6).map((line) => `      ${line}`)];
  });
}
