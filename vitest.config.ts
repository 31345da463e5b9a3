// The test runner: sources run as they are written; `presage` means the public surface, as it does for a user.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: [
      { find: /^presage$/, replacement: fileURLToPath(new URL('./src/index.ts', import.meta.url)) },
      { find: /^presage\/testing$/, replacement: fileURLToPath(new URL('./src/testing/index.ts', import.meta.url)) },
    ],
  },
  test: {
    globalSetup: ['test/support/build.ts'],
    include: ['test/**/*.test.ts', 'strategies/**/*.test.ts'],
    exclude: ['test/bench/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'threads',
    // Tests of whole processes mostly wait for them: beside one, others run.
    maxWorkers: 2,
    reporters: ['default'],
  },
});
