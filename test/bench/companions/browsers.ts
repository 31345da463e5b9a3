// The browsers of a crowd at a console, in a process of the lowest priority: real ones run on machines of their own.
import { constants, setPriority } from 'node:os';
import { Crowd } from '../clients/crowd.ts';
import type { ConsoleDoor } from '../clients/console-door.ts';
import { endWithParent, tellParent } from '../companion.ts';
import { CoreShare } from '../usage.ts';

endWithParent();
setPriority(constants.priority.PRIORITY_LOW);
process.once('message', (door: ConsoleDoor) => void open(door));
tellParent('ready');

/** Opens the crowd; afterwards it answers any message with its figures. */
async function open(door: ConsoleDoor): Promise<void> {
  const crowd = await Crowd.open(door);
  let share = new CoreShare();
  process.on('message', () => {
    tellParent({ ...crowd.figures(), cpu: share.percent() });
    share = new CoreShare();
  });
  tellParent('open');
}
