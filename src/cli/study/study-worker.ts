// The options of `presage study worker`, which takes trials of studies from a queue, on any machine.
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { durationArgument, wholeArgument } from '../arguments/argument-parsers.ts';

const HEAP_MB = 2048;
const HEAP_MB_MIN = 16;
const CACHE_GB = 20;
const LOCK_MS = 30_000;
const LOCK_MS_MIN = 1000;

/** Creates the command. */
export function studyWorkerCommand() {
  const none: readonly string[] = [];
  return new Command('worker')
    .description('Take trials of studies from a queue, on this machine.')
    .option(
      '--queue <address>',
      'the Redis server, redis://host:port or rediss://host:port; default: PRESAGE_QUEUE_URL',
    )
    .requiredOption('--store <place>', 'the folder or s3://bucket/prefix from which tapes come')
    .option('--threads <count>', 'trials at once; default: the cores', wholeArgument(1))
    .option('--heap <megabytes>', 'memory that a thread may use', wholeArgument(HEAP_MB_MIN), HEAP_MB)
    .addOption(
      new Option('--strategy <file>', 'a strategy of this machine that may run; repeatable')
        .argParser(added)
        .default(none, 'those that this package ships'),
    )
    .addOption(
      new Option('--allow-code <hash>', 'a strategy whose code may come from the study; repeatable')
        .argParser(addedHash)
        .default(none, 'none'),
    )
    .option('--cache <folder>', 'folder of this worker’s copies of tapes', 'var/study-worker')
    .option('--cache-size <gigabytes>', 'most that the copies may use', wholeArgument(1), CACHE_GB)
    .addOption(
      new Option('--lock <duration>', 'time after which a lost worker’s trial is taken over')
        .argParser(lockArgument)
        .default(LOCK_MS, '30s'),
    )
    .option('--idle <duration>', 'end after so long without a trial', durationArgument)
    .option('--json', 'print one JSON record for each trial')
    .addHelpText(
      'after',
      `
The worker runs strategies that this package ships, those of --strategy, and, where the study lets its code travel, those of
--allow-code. It refuses a study of another version, with the differences. Credentials come from the environment:
PRESAGE_QUEUE_SECRET (the same for study and workers), PRESAGE_QUEUE_USER, PRESAGE_QUEUE_PASSWORD, and for a bucket
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, PRESAGE_STORE_ENDPOINT.

Ctrl-C finishes the trials under way; a second Ctrl-C gives them up, and other workers take them over. A worker that dies loses
nothing either. Let a process manager start it again.

Exit code: 0 stopped, or idle for so long; 2 the command is wrong, or none of the open studies is for this worker; 143 stopped
while the folder of --store did not answer.

Examples:
  presage study worker --queue redis://127.0.0.1:6379 --store /mnt/studies
  presage study worker --store s3://bucket/studies --strategy my-strategy.ts --idle 10m`,
    )
    .action(async (flags) => {
      // The code of queues and buckets is large, and other commands of studies rarely need it.
      const { runStudyWorker } = await import('./run-study-worker.ts');
      process.exitCode = await runStudyWorker(flags);
    });
}

const added = (value: string, others: readonly string[]): readonly string[] => [...others, value];

function addedHash(value: string, others: readonly string[]): readonly string[] {
  if (/^[0-9a-f]{64}$/.test(value)) return [...others, value];
  throw new InvalidArgumentError('Expected the hash of a strategy, 64 hexadecimal digits.');
}

function lockArgument(text: string): number {
  const ms = durationArgument(text);
  if (ms >= LOCK_MS_MIN) return ms;
  throw new InvalidArgumentError('Expected a duration of 1s or more.');
}
