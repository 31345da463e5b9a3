// Warns of a queue whose password protects nothing.
import type { QueueAddress } from '../../research/queue/queue-address.ts';
import { needsNoLogin } from '../../research/queue/queue-connection.ts';

/** Writes a warning when there is a password, and the server answers without a login. */
export async function warnOfNeedlessLogin(address: QueueAddress): Promise<void> {
  if (!(await needsNoLogin(address))) return;
  process.stderr.write(
    `presage: queue ${address.text}: answers without a login too, so the password protects nothing; give the server a password (requirepass or an ACL)\n`,
  );
}
