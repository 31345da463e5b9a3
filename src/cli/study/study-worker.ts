// `presage study worker`: takes trials of studies from a queue, on any machine.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { firstStopSignal } from '../../app/process-events.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { StorageFault } from '../../tape/journal/storage.ts';
import { UsageError } from '../../app/usage-error.ts';
import { ArtifactCache } from '../../research/artifacts/artifact-cache.ts';
import { openArtifactStore } from '../../research/artifacts/open-store.ts';
import { queueAddress } from '../../research/queue/queue-address.ts';
import { QueueWorker, type WorkerNews } from '../../research/queue/queue-worker.ts';
import { bundleHashes } from '../../research/queue/study-setup.ts';
import { durationArgument, wholeArgument } from '../arguments/argument-parsers.ts';
import { ExitCode } from '../output/exit-code.ts';
import { printLines } from '../output/print-lines.ts';

const HEAP_MB = 2048;
const HEAP_MB_MIN = 16;
const CACHE_GB = 20;
const GB = 1e9;
const LOCK_MS = 30_000;
const LOCK_MS_MIN = 1000;

interface WorkerFlags {
  readonly queue?: string;
  readonly store: string;
  readonly threads?: number;
  readonly heap: number;
  readonly strategy: readonly string[];
  readonly allowCode: readonly string[];
  readonly cache: string;
  readonly cacheSize: number;
  readonly lock: number;
  readonly idle?: number;
  readonly json?: true;
}

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

Exit code: 0 stopped, or idle for so long; 2 the command is wrong, or the open studies are not for this worker.

Examples:
  presage study worker --queue redis://127.0.0.1:6379 --store /mnt/studies
  presage study worker --store s3://bucket/studies --strategy my-strategy.ts --idle 10m`,
    )
    .action(async (flags) => {
      process.exitCode = await runWorker(flags);
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

/** Returns the files of the strategies that this package ships. */
function shippedStrategies(): string[] {
  const folder = join(dirname(createRequire(import.meta.url).resolve('presage-trading/package.json')), 'strategies');
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return names.map((name) => join(folder, name));
}

async function runWorker(flags: WorkerFlags): Promise<number> {
  const address = queueAddress(flags.queue, process.env);
  const store = openArtifactStore(flags.store, process.env);
  const folder = resolve(flags.cache);
  const release = lockCache(folder);
  try {
    const worker = await QueueWorker.open({
      address,
      cache: new ArtifactCache({ folder, store, bytesMax: flags.cacheSize * GB }),
      strategies: {
        files: await bundleHashes([...shippedStrategies(), ...flags.strategy]),
        travelling: new Set(flags.allowCode),
      },
      folder: join(folder, 'studies'),
      threads: flags.threads ?? availableParallelism(),
      heapMb: flags.heap,
      lockMs: flags.lock,
      onNews: (news) => showNews(news, { isJson: flags.json === true, queue: address.text }),
    });
    await worker.run(stopOf(worker, flags.idle));
    return ExitCode.ok;
  } finally {
    release();
  }
}

/** @throws {UsageError} when another worker uses the folder: it might remove a copy in use. */
function lockCache(folder: string): () => void {
  const storage = fileStorage(folder);
  try {
    storage.lockFolder();
  } catch (fault) {
    if (fault instanceof StorageFault) throw new UsageError(`--cache: ${fault.message}`, { cause: fault });
    throw fault;
  }
  return () => storage.close();
}

const IDLE_CHECK_MS = 1000;

/** Stops at a signal, or after a time without trials. A second signal gives the trials under way up. */
function stopOf(worker: QueueWorker, idleMs: number | undefined): AbortSignal {
  const stop = new AbortController();
  void stopAtSignals(worker, stop);
  if (idleMs !== undefined) void stopWhenIdle(worker, stop, idleMs);
  return stop.signal;
}

async function stopAtSignals(worker: QueueWorker, stop: AbortController): Promise<void> {
  const first = firstStopSignal();
  await first.signal;
  first.release();
  stop.abort();
  await firstStopSignal().signal;
  worker.giveUp();
}

async function stopWhenIdle(worker: QueueWorker, stop: AbortController, idleMs: number): Promise<void> {
  while (!stop.signal.aborted && (await worker.idleMs()) < idleMs)
    await delay(IDLE_CHECK_MS, undefined, { ref: false });
  stop.abort();
}

function showNews(news: WorkerNews, { isJson, queue }: { readonly isJson: boolean; readonly queue: string }): void {
  switch (news.type) {
    case 'trial':
      if (isJson) printLines([JSON.stringify(news)]);
      else printLines([`${news.study}: trial ${news.n} ${news.end}, ${(news.ms / 1000).toFixed(1)} s`]);
      return;
    case 'waiting':
      return void process.stderr.write(`presage: waiting for trials at ${queue}\n`);
    case 'study':
      return void process.stderr.write(`presage: study ${news.study}, ${news.hash.slice(0, 12)}\n`);
    case 'fault':
      return void process.stderr.write(`presage: cannot begin now, and tries again: ${news.reason}\n`);
  }
}
