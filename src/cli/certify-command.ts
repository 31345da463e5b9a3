// `presage certify`: runs the checks of a strategy in a separate process and prints the score card. The hidden command
// `certifier` runs in that process.
import { Command, Option } from '@commander-js/extra-typings';
import { randomInt } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { CHECKS } from '../certify/checks/all-checks.ts';
import { CHECK_NAMES, type CheckName } from '../certify/check-verdict.ts';
import type { CertifyJob } from '../certify/certify-job.ts';
import { isCertified, scoreCardRecord, scoreCardText } from '../certify/score-card.ts';
import { type CertifyEnd, superviseJob } from '../certify/certify-supervisor.ts';
import { runJob } from '../certify/certify-worker.ts';
import { shellWord } from '../base/shell-word.ts';
import { readYaml } from '../config/yaml.ts';
import { resolveTypedLocation } from '../runtime/plugins/plugin-location.ts';
import { seedArgument, paramArguments } from './arguments/argument-parsers.ts';
import { certifyProgress } from './show/certify-progress.ts';
import { ExitCode } from './output/exit-code.ts';
import { PROGRAM_FILE } from './program-file.ts';
import { rawStream } from './output/terminal-escapes.ts';
import { UsageError } from '../app/usage-error.ts';
import { firstStopSignal } from '../app/process-events.ts';
import { terminalWidth } from './output/terminal-size.ts';

interface CertifyFlags {
  readonly param?: readonly string[];
  readonly params?: string;
  readonly check?: readonly string[];
  readonly seed?: number;
  readonly effort: 'quick' | 'full';
  readonly json?: true;
}

/** Creates the command. */
export function certifyCommand() {
  return new Command('certify')
    .argument('<strategy>', 'its file, or the name of an installed package')
    .option('--param <name=value...>', 'a parameter')
    .option('--params <file>', 'parameters from a YAML file')
    .option('--check <names...>', `only these: ${CHECK_NAMES.join(', ')}`)
    .option('--seed <number>', 'which streams are made; without it a seed is drawn and printed', seedArgument)
    .addOption(
      new Option('--effort <much>', 'how many streams are tried')
        .choices(['quick', 'full'] as const)
        .default('full' as const),
    )
    .option('--json', 'print the score card as one JSON object')
    .addHelpText(
      'after',
      `
Checks:
${CHECKS.map(({ name, meaning }) => `  ${name.padEnd(13)}${meaning}`).join('\n')}

Every stream is made from the seed: the same seed gives the same result. A failure is shown with the smallest stream found
that causes it. The strategy runs in a process of its own, which is stopped when it hangs. Progress is written to standard
error.

Exit code: 0 certified; 1 a check failed; 2 the command is wrong, or there is no strategy that could be loaded.

Examples:
  presage certify strategies/two-sided-quoter.ts
  presage certify strategies/two-sided-quoter.ts --effort quick --seed 7
  presage certify mine.ts --check numbers --check restart --param qtyContracts=10`,
    )
    .action(async (strategy, flags) => {
      process.exitCode = await certify(strategy, flags);
    });
}

/** Creates the command of the process that runs the checks. */
export function certifierCommand() {
  return new Command('certifier').action(async () => {
    const job = await new Promise<CertifyJob>((resolve) => void process.once('message', resolve));
    await runJob(job, (message) => void process.send?.(message));
    process.disconnect();
  });
}

/** A check counts as hanging after this time, milliseconds. */
const CHECK_MS_MAX = { quick: 60_000, full: 120_000 } as const;
const HEAP_MB_MAX = 1024;

async function certify(strategy: string, flags: CertifyFlags): Promise<number> {
  const job = jobOf(strategy, flags);
  const progress = certifyProgress(rawStream(process.stderr), job.only.length);
  const { signal, release } = firstStopSignal();
  const abort = new AbortController();
  void signal.then(() => abort.abort());
  const limits = ['--expose-gc', `--max-old-space-size=${HEAP_MB_MAX}`];
  try {
    const end = await superviseJob({
      job,
      command: [process.execPath, ...process.execArgv, ...limits, PROGRAM_FILE, 'certifier'],
      checkMsMax: CHECK_MS_MAX[job.effort],
      signal: abort.signal,
      onMessage: progress.onMessage,
    });
    progress.close();
    if (abort.signal.aborted) return ExitCode.session;
    return printed(end, job, flags);
  } finally {
    release();
  }
}

/** The flags with the parameters, as words for a shell. */
export const paramFlags = ({ params, param = [] }: Pick<CertifyFlags, 'params' | 'param'>): string[] =>
  [...(params === undefined ? [] : ['--params', params]), ...param.flatMap((each) => ['--param', each])].map(shellWord);

function printed(end: CertifyEnd, job: CertifyJob, flags: CertifyFlags): number {
  const { json } = flags;
  const { refused, done } = end;
  if (refused?.isUsers === true) throw new UsageError(refused.message);
  if (refused !== null) throw new Error(refused.message);
  const [strategy, seen] = [done?.strategy ?? job.place, done?.seen ?? null];
  const card = { ...end, ...job, strategy, seen, paramFlags: paramFlags(flags) };
  const text = json
    ? JSON.stringify(scoreCardRecord(card))
    : scoreCardText(card, terminalWidth(process.stdout) ?? 80).join('\n');
  process.stdout.write(`${text}\n`);
  return isCertified(card) ? ExitCode.ok : ExitCode.session;
}

const SEED_DRAWN_MAX = 1_000_000;

function jobOf(strategy: string, flags: CertifyFlags): CertifyJob {
  const { params: file, param = [], seed = randomInt(SEED_DRAWN_MAX), effort, check = CHECK_NAMES } = flags;
  const given = file === undefined ? {} : readYaml(file, z.record(z.string(), z.unknown()));
  return {
    place: resolveTypedLocation(strategy),
    params: { ...given, ...paramArguments(param) },
    folder: file === undefined ? process.cwd() : dirname(resolve(file)),
    seed,
    effort,
    only: check.flatMap((text) => text.split(',').map(checkNamed)),
  };
}

function checkNamed(text: string): CheckName {
  const found = CHECK_NAMES.find((name) => name === text);
  if (found === undefined)
    throw new UsageError(`--check: expected one of ${CHECK_NAMES.join(', ')}, found ${JSON.stringify(text)}`);
  return found;
}
