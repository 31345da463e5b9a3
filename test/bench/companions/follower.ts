// A console that follows the bot in the given data folder, four times a second, until the scenario ends.
import { FollowClient } from '../../../src/runtime/follow/follow-client.ts';
import { controlPath } from '../../../src/runtime/operator/control-path.ts';
import { systemScheduler } from '../../../src/transport/scheduler.ts';
import { endWithParent, tellParent } from '../companion.ts';

endWithParent();
process.on('message', (folder: string) => {
  let isComplete = false;
  const client = new FollowClient({
    path: controlPath(folder, 'control'),
    scheduler: systemScheduler,
    random: () => 0,
    hz: 4,
    onFrame: () => {
      if (isComplete || !client.bot.isComplete) return;
      isComplete = true;
      tellParent(client.bot.rows.size);
    },
  });
  client.start();
});
tellParent('ready');
