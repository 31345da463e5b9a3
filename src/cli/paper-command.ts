// `presage paper`: a session on the venue's real feed with a simulated account.
import { PAPER_MODE } from '../app/session/paper-session.ts';
import { consoleOption, sessionCommand, showSession } from './run-command.ts';

/** Creates the command. */
export function paperCommand() {
  return sessionCommand('paper')
    .addOption(consoleOption())
    .addHelpText(
      'after',
      `
The config is a bot’s, with a section more:

  paper:
    cash: 1000               # opening cash of each session, dollars
    simulation:              # optional: see docs/concepts/simulated-venue.md
      latency: { order: { model: constant, delay: 150ms } }

Everything else is as in a live session: strategies, limits, budgets, halts, journal. Saved files go to <data folder>/paper,
its log beside the bot’s, such as bot.paper.log.
The market does not react to simulated orders, as it would to real ones.

With --console a page in the browser shows and controls the session. In a terminal, \`presage status\`, \`presage halt\` and
their like control it with --paper.

A live and a paper session of one config may run at the same time. Where the config has metrics.listen, give the paper session
another port with --metrics.

Exit code: as with \`presage run\`.

Examples:
  presage paper --config config/paper.yaml --for 10m  on the exchange inside
  presage paper --config config/paper.yaml --record   the session on a tape
  presage paper --config config/paper.yaml --console  with a page in the browser`,
    )
    .action(async (options) => {
      process.exitCode = await showSession(options, PAPER_MODE);
    });
}
