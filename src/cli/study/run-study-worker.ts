// Runs a worker of studies: prints its news, and ends it at a signal or when it is idle.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { firstStopSignal } from '../../app/process-events.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { StorageFault } from '../../tape/journal/storage.ts';
import { UsageError } from '../../app/usage-error.ts';
import { ArtifactCache } from '../../research/artifacts/artifact-cache.ts';
import { openArtifactStore } from '../../research/artifacts/open-store.ts';
import { type QueueAddress, otherSecretText, queueAddress } from '../../research/queue/queue-address.ts';
import { QueueWorker } from '../../research/queue/queue-worker.ts';
import type { WorkerNews } from '../../research/queue/worker-news.ts';
import { bundleHashes } from '../../research/queue/study-setup.ts';
import { ExitCode } from '../output/exit-code.ts';
import { printLines } from '../output/print-lines.ts';
import { showServerNews, warnOfNeedlessLogin } from './queue-notices.ts';

const GB = 1e9;

/** The options of the command. */
export interface WorkerFlags {
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

/** Returns the files of the strategies that this package ships. */
function shippedStrategies(): string[] {
  const folder = join(dirname(createRequire(import.meta.url).resolve('presage-trading/package.json')), 'strategies');
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return names.map((name) => join(folder, name));
}

/** Runs a worker until it is stopped, or idle for so long. Returns the exit code. */
export async function runStudyWorker(flags: WorkerFlags): Promise<number> {
  const address = queueAddress(flags.queue, process.env);
  const store = openArtifactStore(flags.store, process.env);
  const folder = resolve(flags.cache);
  const release = lockCache(folder);
  const cache = new ArtifactCache({ folder, store, bytesMax: flags.cacheSize * GB });
  try {
    const worker = await QueueWorker.open({
      address,
      cache,
      strategies: {
        files: await bundleHashes([...shippedStrategies(), ...flags.strategy]),
        travelling: new Set(flags.allowCode),
      },
      folder: join(folder, 'studies'),
      threads: flags.threads ?? availableParallelism(),
      heapMb: flags.heap,
      lockMs: flags.lock,
      onNews: (news) => showNews(news, { isJson: flags.json === true, address }),
    });
    await warnOfNeedlessLogin(address);
    await worker.run(stopOf(worker, flags.idle));
    return ExitCode.ok;
  } finally {
    release();
    if (cache.isFetching) endBySignal(store.place);
  }
}

/** A folder that blocks holds a thread of Node.js, for which even `process.exit` waits for ever: a signal ends the process. */
function endBySignal(place: string): void {
  process.removeAllListeners('SIGTERM');
  process.stderr.write(`presage: store ${place}: expected an answer, found none; the worker ends without it\n`, () =>
    process.kill(process.pid, 'SIGTERM'),
  );
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
  while (!stop.signal.aborted && worker.idleMs() < idleMs) await delay(IDLE_CHECK_MS, undefined, { ref: false });
  stop.abort();
}

function showNews(
  news: WorkerNews,
  { isJson, address }: { readonly isJson: boolean; readonly address: QueueAddress },
): void {
  switch (news.type) {
    case 'trial':
      if (isJson) printLines([JSON.stringify(news)]);
      else printLines([`${news.study}: trial ${news.n} ${news.end}, ${(news.ms / 1000).toFixed(1)} s`]);
      return;
    case 'waiting':
      return void process.stderr.write(`presage: waiting for trials at ${address.text}\n`);
    case 'others':
      return void process.stderr.write(
        `presage: ${otherSecretText(address, { expected: 'an open study', found: news.studies })}\n`,
      );
    case 'study':
      return void process.stderr.write(`presage: study ${news.study}, ${news.hash.slice(0, 12)}\n`);
    case 'away':
    case 'back':
      return showServerNews(news, address);
    case 'refused':
      return void process.stderr.write(`presage: leaves a study to other workers: ${news.reason}\n`);
    case 'fault':
      return void process.stderr.write(`presage: cannot begin now, and tries again: ${news.reason}\n`);
  }
}
