// The origin of parameters that stand in a config: their errors show its lines.
import { dirname, resolve } from 'node:path';
import { configErrorOf } from '../../config/yaml.ts';
import type { ParamsSource } from './strategy-binding.ts';

/** Returns the origin of the parameters of each strategy in a config. */
export const paramsFromConfig =
  (file: string) =>
  (index: number): ParamsSource => ({
    folder: dirname(resolve(file)),
    lines: { index, errorOf: (issues) => configErrorOf(file, issues) },
  });
