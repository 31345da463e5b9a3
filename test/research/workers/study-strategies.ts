// Strategies that misbehave in a trial, and studies of them, for tests of workers and of the command.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../e2e/presage.ts';

/** A strategy whose parameter says what it does at its first book. */
const MISBEHAVING = `// Does what its parameter says.
import { defineStrategy, z } from 'presage-trading';

const held: number[][] = [];
const nobody = new Int32Array(new SharedArrayBuffer(4));
export default defineStrategy({
  name: 'misbehaving',
  params: z.strictObject({ mode: z.enum(['idle', 'hang', 'doze', 'eat', 'throw', 'leak']).default('idle'), x: z.number().default(0) }),
  setup: ({ params }) => ({
    onBook() {
      if (params.mode === 'throw') throw new Error('as asked');
      if (params.mode === 'leak' && held.length === 0) held.push(Array.from({ length: 20_000_000 }, (_, i) => i + 0.5));
      while (params.mode === 'hang');
      while (params.mode === 'doze') Atomics.wait(nobody, 0, 0, 5);
      while (params.mode === 'eat') held.push(Array.from({ length: 10_000 }, (_, i) => i + Math.sqrt(held.length)));
    },
  }),
});
`;

/** Writes the file of a study to a folder, with its strategy. Returns the file's path. */
export function writeStudy(folder: string, lines: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'misbehaving.ts'), MISBEHAVING);
  const file = join(folder, 'study.yaml');
  const config = join(ROOT, 'config/backtest.yaml');
  writeFileSync(file, [`study: tried`, `config: ${config}`, `sampler: random`, ...lines, ''].join('\n'));
  return file;
}
