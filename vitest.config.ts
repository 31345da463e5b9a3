// The test runner: sources run as they are written; `presage-trading` means the public surface, as it does for a user.
// `npm test` runs every project but `long`, which `npm run test:long` runs.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { WaitingFirst } from './test/support/order.ts';

/** Rooms whose tests leave nothing behind in the process: their files share one. */
const PLAIN =
  'test/{config,domain,engine,exchange,execution,kit,report,risk,state,strategy,tape,transport,venues}/**/*.test.ts';
/** The same of those that need the program built. */
const BUILT = 'test/{backtest,cli,contract,docs,e2e,official,runtime,strategies}/**/*.test.ts';
const BUILD = 'test/support/build.ts';
/** What takes minutes and seldom fails alone. */
const LONG = 'test/**/*.long.test.ts';
/** Has a short part, which runs at every change, and a long one: `test/support/long.ts` says which part runs. */
const BOTH = 'test/certify/certify.test.ts';
const MINUTE = 60_000;

export default defineConfig({
  resolve: {
    alias: [
      { find: /^presage-trading$/, replacement: fileURLToPath(new URL('./src/index.ts', import.meta.url)) },
      {
        find: /^presage-trading\/testing$/,
        replacement: fileURLToPath(new URL('./src/testing/index.ts', import.meta.url)),
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
          exclude: ['test/bench/**', PLAIN, BUILT, LONG],
        },
      },
      {
        extends: true,
        test: { name: 'built', include: [BUILT], exclude: [LONG], isolate: false, globalSetup: [BUILD] },
      },
      { extends: true, test: { name: 'plain', include: [PLAIN], exclude: [LONG], isolate: false } },
      // Of strategies, which need nothing that is built.
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
    setupFiles: ['test/support/seed.ts'],
    // What hangs is ended; what is slow because the machine is busy is not.
    testTimeout: 3 * MINUTE,
    hookTimeout: 3 * MINUTE,
    pool: 'threads',
    // Tests of whole processes mostly wait for them: beside two, others run.
    maxWorkers: 3,
    sequence: { sequencer: WaitingFirst },
    reporters: ['default'],
  },
});
