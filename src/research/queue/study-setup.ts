// Makes a study's set-up message, and plans the study on a worker from it. The worker's plan must have the hash of the study:
// the same texts, tapes, strategy and program. Must never run code that the worker's user has not allowed.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { makeFolder } from '../../log/make-folder.ts';
import { UsageError } from '../../app/usage-error.ts';
import { bundlePlugin } from '../../runtime/plugins/plugin-bundle.ts';
import { BAKED_NAME } from '../../tape/tools/open-tape.ts';
import { tapeAt } from '../../app/tape-place.ts';
import type { ArtifactCache } from '../artifacts/artifact-cache.ts';
import { type ArtifactStore, fileHash } from '../artifacts/artifact-store.ts';
import { readStudyFile } from '../study/study-file.ts';
import { type StudyPlan, planStudy } from '../study/study-plan.ts';
import { MESSAGE_VERSION, type SetupMessage } from './queue-messages.ts';
import { ownIdentity } from './worker-identity.ts';

/**
 * Adds a study's tapes to the store, and makes its set-up message.
 * @throws {UsageError} when the study depends on files that cannot travel, or on other code than it allows to travel.
 * @throws {StoreFault} when the store cannot be written.
 */
export async function publishStudy(plan: StudyPlan, store: ArtifactStore): Promise<SetupMessage> {
  const { study, setup, tapes } = plan;
  refuseLocalFiles(plan);
  const hashes: string[] = [];
  for (const { place } of tapes) {
    const file = bakedFileOf(place);
    const sha256 = await fileHash(file);
    await store.addFile(sha256, file);
    hashes.push(sha256);
  }
  const { bundle } = setup;
  return {
    v: MESSAGE_VERSION,
    identity: ownIdentity(),
    hash: plan.hash,
    parts: { ...plan.parts },
    study: readFileSync(study.file, 'utf8'),
    config: readFileSync(study.config, 'utf8'),
    tapes: hashes,
    strategy: { fileName: basename(bundle.path), sha256: bundle.sha256, sources: travellingSources(plan) },
    files: plan.paramFiles.map((path) => ({ path, text: readFileSync(join(dirname(study.file), path), 'utf8') })),
  };
}

function bakedFileOf(place: string): string {
  const found = tapeAt(place);
  return found.type === 'baked' ? found.path : join(found.path, BAKED_NAME);
}

/** @throws {UsageError} when a trial would read a file that a worker cannot have. */
function refuseLocalFiles({ study, setup, paramFiles }: StudyPlan): void {
  const away = paramFiles.find((path) => path.startsWith('/') || path.split(/[\\/]/).includes('..'));
  if (away !== undefined)
    throw new UsageError(
      `${study.file}: expected files of parameters below its own folder, so that they can travel to workers; found ${away}`,
    );
  const { feed, order, answer } = setup.config.simulation.latency;
  const isJournal = [feed, order, answer].some((delay) => typeof delay === 'object' && delay.model === 'journal');
  if (isJournal)
    throw new UsageError(
      `${study.config}: expected latency that needs no journal, because workers do not have it; \`presage calibrate\` writes it as figures`,
    );
}

/** @throws {UsageError} when the study lets other code travel than its strategy. */
function travellingSources({ study, setup: { bundle } }: StudyPlan): SetupMessage['strategy']['sources'] {
  if (study.code === undefined) return null;
  if (study.code.sha256 !== bundle.sha256)
    throw new UsageError(
      `${study.file}: code.sha256: expected the strategy's hash ${bundle.sha256}, found ${study.code.sha256}`,
    );
  const folder = dirname(bundle.path);
  const others = bundle.sources.filter((path) => path !== bundle.path);
  return [bundle.path, ...others].map((file) => {
    const path = relative(folder, file).split(sep).join('/');
    if (path.startsWith('..'))
      throw new UsageError(
        `${study.file}: code: expected sources below ${folder}, so that they can travel; found ${file}`,
      );
    return { path, text: readFileSync(file, 'utf8') };
  });
}

/** Strategies that a worker may run. */
export interface AllowedStrategies {
  /** Files on the worker's machine, by the hash of their bundle. */
  readonly files: ReadonlyMap<string, string>;
  /** Hashes of strategies whose code may come with the study. */
  readonly travelling: ReadonlySet<string>;
}

/** Returns the files of a worker's strategies by the hash of their bundle. Runs none of them. */
export async function bundleHashes(files: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const file of files) found.set((await bundlePlugin(file)).sha256, file);
  return found;
}

export interface PlanFromSetupOptions {
  readonly cache: ArtifactCache;
  readonly strategies: AllowedStrategies;
  /** Folder for the study's files. */
  readonly folder: string;
}

/**
 * Plans a study on a worker.
 * @throws {UsageError} when the worker may not run the strategy, or its plan differs from the study's.
 * @throws {StoreFault} when a tape cannot be fetched.
 */
export async function planFromSetup(setup: SetupMessage, options: PlanFromSetupOptions): Promise<StudyPlan> {
  const folder = join(options.folder, setup.hash.slice(0, 16));
  const strategyFile = await strategyFileOf(setup, options.strategies, folder);
  const write = (path: string, text: string): string => writeBelow(folder, path, text);
  const config = write('config/backtest.yaml', setup.config);
  const file = write('study/study.yaml', setup.study);
  for (const { path, text } of setup.files) write(join('study', path), text);
  const tapes: string[] = [];
  for (const sha256 of setup.tapes) tapes.push(await options.cache.fileOf(sha256, '.arrow'));
  const study = { ...readStudyFile(file), config, tapes, folder: join(folder, 'results') };
  const plan = await planStudy(study, { strategyFile });
  if (plan.hash === setup.hash) return plan;
  const names = Object.keys({ ...setup.parts, ...plan.parts }).filter((name) => setup.parts[name] !== plan.parts[name]);
  throw new UsageError(`study ${study.study}: expected the plan of the study, found another ${names.join(', ')}`);
}

function writeBelow(folder: string, path: string, text: string): string {
  const file = join(folder, path);
  makeFolder(dirname(file), 0o700);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/**
 * Returns the strategy's file: the worker's own, or one made of the code that came with the study.
 * @throws {UsageError} when the strategy is not on this machine and its code may not come here, or has another hash.
 */
async function strategyFileOf({ strategy }: SetupMessage, allowed: AllowedStrategies, folder: string): Promise<string> {
  const { fileName, sha256, sources } = strategy;
  const local = allowed.files.get(sha256);
  if (local !== undefined) return local;
  if (sources === null)
    throw new UsageError(
      `strategy ${fileName} with hash ${sha256} is not on this machine: start the worker with --strategy FILE, or let it travel: code in the study’s file, --allow-code here`,
    );
  if (!allowed.travelling.has(sha256))
    throw new UsageError(
      `strategy ${fileName} may travel, but not to this worker: allow it with --allow-code ${sha256}`,
    );
  const [file = folder] = sources.map(({ path, text }) => writeBelow(folder, join('strategy', path), text));
  // Bundling runs none of the code: the hash is checked before the first import does.
  const found = (await bundlePlugin(file)).sha256;
  if (found === sha256) return file;
  throw new UsageError(`strategy ${fileName}: expected code with hash ${sha256}, found ${found}`);
}
