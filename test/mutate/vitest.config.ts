// Runs tests against sources with one planted bug: `PRESAGE_MUTATION` holds it as JSON, and it is applied while a file
// is loaded. Must never change a file on disk.
import { join } from 'node:path';
import type { Plugin } from 'vitest/config';
import { defineConfig } from 'vitest/config';
import { type Patch, ROOT, applyPatch } from '../simulation/run/bundle.ts';

const patch: Patch = JSON.parse(process.env['PRESAGE_MUTATION'] ?? 'null');

const planting: Plugin = {
  name: 'planted-bug',
  enforce: 'pre',
  transform: (text, id) => (id === join(ROOT, patch.file) ? applyPatch(text, patch) : null),
};

export default defineConfig({
  root: ROOT,
  plugins: [planting],
  resolve: { alias: [{ find: /^presage-trading$/, replacement: join(ROOT, 'src/index.ts') }] },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/runner/property-seed.ts'],
    testTimeout: 60_000,
    pool: 'threads',
    isolate: false,
    bail: 1,
    maxWorkers: 2,
    reporters: ['json'],
  },
});
