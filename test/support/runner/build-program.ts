// Builds the program once, with the user's own command, before the tests that run it as a user would.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Environment variable that is set once the program is built. Several projects of one test run need the build. */
const BUILT = 'PRESAGE_TESTS_BUILT';

export function setup(): void {
  if (process.env[BUILT] !== undefined) return;
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  process.env[BUILT] = 'yes';
}
