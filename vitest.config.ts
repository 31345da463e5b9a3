// Configures the test runner. Sources run unbuilt; `presage-trading` is the public surface, as it is for a user. `npm
// test` runs every project except `long`, which `npm run test:long` runs.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/support/runner/patience.ts';
import { SlowestFirst } from './test/support/runner/test-file-order.ts';

/** Folders whose tests leave nothing behind in the process: their files share one process. */
const PLAIN =
  'test/{alerts,base,config,domain,engine,exchange,execution,kit,log,report,risk,state,strategy,tape,transport,venues}/**/*.test.ts';
/** Folders of the same kind whose tests need the built program. */
const BUILT =
  'test/{app,backtest,cli,console,contract,docs,e2e,history,metrics,official,research,runtime,strategies,why}/**/*.test.ts';
const BUILD = 'test/support/runner/build-program.ts';
/** Tests that take minutes and rarely fail alone. */
const LONG = 'test/**/*.long.test.ts';
/**
 * A test file with a short part, which runs at every change, and a long part; see `test/support/runner/test-length.ts`.
 */
const BOTH = 'test/certify/certify.test.ts';
/** `.ci/run` has run these in `npm run check`, just before. */
const CHECKED = process.env['PRESAGE_CHECKED'] === undefined ? [] : ['test/tidy.test.ts'];
const MINUTE = 60_000;

export default defineConfig({
  resolve: {
    alias: [
      { find: /^presage-trading$/, replacement: fileURLToPath(new URL('./src/index.ts', import.meta.url)) },
      {
        find: /^presage-trading\/testing$/,
        replacement: fileURLToPath(new URL('./src/testing/testing-entry.ts', import.meta.url)),
      },
      {
        find: /^presage-trading\/research$/,
        replacement: fileURLToPath(new URL('./src/research/research-entry.ts', import.meta.url)),
      },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'house',
          globalSetup: [BUILD],
          include: ['test/**/*.test.ts'],
          exclude: ['test/bench/**', PLAIN, BUILT, LONG, ...CHECKED],
        },
      },
      {
        extends: true,
        test: { name: 'built', include: [BUILT], exclude: [LONG], isolate: false, globalSetup: [BUILD] },
      },
      { extends: true, test: { name: 'plain', include: [PLAIN], exclude: [LONG], isolate: false } },
      // Strategies need no built program.
      { extends: true, test: { name: 'strategies', include: ['strategies/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'long',
          include: [LONG, BOTH],
          globalSetup: [BUILD],
          env: { PRESAGE_TESTS: 'long' },
          testTimeout: 10 * MINUTE,
          hookTimeout: 10 * MINUTE,
        },
      },
    ],
    setupFiles: ['test/support/runner/property-seed.ts'],
    // The limit ends tests that hang, but not tests that are slow on a busy machine.
    testTimeout: 3 * MINUTE,
    hookTimeout: 3 * MINUTE,
    // So does the limit of each wait for an event.
    expect: { poll: { timeout: PATIENCE_MS } },
    pool: 'threads',
    // Tests of whole processes mostly wait for them, so a third worker runs beside two of them.
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
    // Every project and every later run uses the compiled sources of the first one.
    experimental: { fsModuleCache: true },
    reporters: ['default'],
  },
});
