// Builds the program once before the tests that run it as a user would: by the user's command.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Set once it is built: several projects of one run need it. */
const BUILT = 'PRESAGE_TESTS_BUILT';

export function setup(): void {
  if (process.env[BUILT] !== undefined) return;
  const root = fileURLToPath(new URL('../../', import.meta.url));
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  process.env[BUILT] = 'yes';
}
