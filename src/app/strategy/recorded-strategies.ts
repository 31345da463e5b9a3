// Loads the strategies that a journal names, for a replay.
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parsePluginLocation } from '../../runtime/plugins/plugin-location.ts';
import { withCompiler } from '../../runtime/plugins/plugin-compiler.ts';
import { bindStrategy } from '../../runtime/plugins/strategy-binding.ts';
import { StrategyFileError } from '../../runtime/plugins/strategy-file-error.ts';
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';
import type { Manifest } from '../../tape/format/segment-header.ts';
import { watchedLoad } from './watched-load.ts';

/** Options to load a journal's strategies. */
export interface RecordedStrategiesOptions {
  /** Folder with the strategies' files. @default the paths that the journal names, relative to its folder. */
  readonly strategies?: string | undefined;
  /** Accepts files that have changed since the session. @default false */
  readonly allowChanged?: true | undefined;
}

/**
 * Loads a session's strategies with their recorded parameters.
 * @param folder Folder of the journal.
 * @throws {StrategyFileError} when a file is missing, cannot be used, or has changed without `allowChanged`.
 */
export async function recordedStrategies(
  { strategies }: Pick<Manifest, 'strategies'>,
  folder: string,
  options: RecordedStrategiesOptions,
): Promise<BoundStrategy[]> {
  // One process compiles all of them.
  return watchedLoad(() =>
    withCompiler(async () => {
      const bound: BoundStrategy[] = [];
      for (const strategy of strategies) bound.push(await recordedStrategy(strategy, folder, options));
      return bound;
    }),
  );
}

async function recordedStrategy(
  { name, file, params, sha256 }: Manifest['strategies'][number],
  folder: string,
  { strategies, allowChanged }: RecordedStrategiesOptions,
): Promise<BoundStrategy> {
  const recorded = resolve(folder, file);
  const path = strategies === undefined ? recorded : pathIn(strategies, recorded);
  if (parsePluginLocation(path).type === 'file' && !existsSync(path))
    throw new StrategyFileError(path, 'no such file; --strategies says in which folder to look');
  return bindStrategy({ name, file: path, params }, (found) => {
    if (found === sha256 || allowChanged === true) return;
    throw new StrategyFileError(
      path,
      `is not what strategy ${name} ran with: expected SHA-256 ${sha256}, found ${found}; --allow-changed replays anyway`,
    );
  });
}

/** Returns the path of the same file or installed package in another folder. */
function pathIn(folder: string, path: string): string {
  const place = parsePluginLocation(path);
  return place.type === 'file' ? resolve(join(folder, basename(path))) : resolve(folder, 'node_modules', place.name);
}
