// The operator's console beside a bot, as `presage console --data FOLDER` starts it, with the priority of the systemd unit.
// It answers with its own memory and processor time.
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename, join } from 'node:path';
import { startConsole } from '../../../src/console/server/console-run.ts';
import { endWithParent, tellParent } from '../companion.ts';
import { CoreShare, usedMegabytes } from '../usage.ts';

/** `Nice=` of the unit in `config/deploy/presage-console.service`. */
const NICE = 5;

endWithParent();
setPriority(NICE);
process.once('message', (folder: string) => void open(folder));
tellParent('ready');

/** Starts the console; afterwards it answers any message with its figures. */
async function open(folder: string): Promise<void> {
  const { server } = await startConsole({ configs: [], folders: [folder], listen: '127.0.0.1:0' });
  const token = / operator (\S+)/.exec(readFileSync(join(folder, 'console.token'), 'utf8'))?.[1] ?? '';
  let share = new CoreShare();
  process.on('message', () => {
    const cpu = share.percent();
    tellParent({ cpu, memory: usedMegabytes(), dropped: server.clients.dropped, streams: server.clients.size });
    share = new CoreShare();
  });
  tellParent({ origin: server.url, token, bot: basename(folder) });
}
