// Writes notices of the queue’s server, of a study and of its workers alike.
import type { QueueAddress } from '../../research/queue/queue-address.ts';
import { isRefusedWrite, needsNoLogin } from '../../research/queue/queue-connection.ts';
import type { ServerNews } from '../../research/queue/queue-watch.ts';

/** Writes a warning when there is a password, and the server answers without a login. */
export async function warnOfNeedlessLogin(address: QueueAddress): Promise<void> {
  if (await needsNoLogin(address))
    writeNotice(
      address,
      'answers without a login too, so the password protects nothing; give the server a password (requirepass or an ACL)',
    );
}

/** Says that the server is away, or back. */
export function showServerNews(news: ServerNews, address: QueueAddress): void {
  if (news.type === 'back') return writeNotice(address, 'answers again');
  const reason = news.reason === null ? '' : ` (${news.reason})`;
  if (news.reason !== null && isRefusedWrite(news.reason))
    return writeNotice(
      address,
      `it cannot write to its disk${reason}; waiting until it can: free space there, or Ctrl-C stops`,
    );
  writeNotice(address, `no answer${reason}; waiting for it, Ctrl-C stops`);
}

function writeNotice({ text }: QueueAddress, notice: string): void {
  process.stderr.write(`presage: queue ${text}: ${notice}\n`);
}
