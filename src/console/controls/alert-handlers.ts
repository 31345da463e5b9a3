// Sends a test alert to each target of the bots' configs. Must never answer with a secret or a path of this machine.
// Must never run two tests at a time.
import { type TargetTest, testAlerts } from '../../app/alerts/alerts-test.ts';
import { isUserError } from '../../app/usage-error.ts';
import type { Severity } from '../../config/alerts-config.ts';
import type { Logger } from '../../log.ts';
import { alertTestRoute } from '../api/alert-routes.ts';
import type { ConsoleBot } from '../bots/console-bot.ts';
import { type ConsoleApp, botNamed, callerOf } from '../server/console-app.ts';
import { ProblemFault } from '../server/problem.ts';

const RETRY_MS = 5000;

interface BotTest extends TargetTest {
  readonly bot: string;
}

/** Handles the test alert. */
export class AlertHandlers {
  readonly #bots: readonly ConsoleBot[];
  readonly #log: Logger;
  #isSending = false;

  constructor(bots: readonly ConsoleBot[], log: Logger) {
    this.#bots = bots;
    this.#log = log;
  }

  readonly addTo = (app: ConsoleApp): void => {
    app.openapi(alertTestRoute, async (context) => {
      const { bot, severity } = context.req.valid('json');
      const { name } = callerOf(context);
      const targets = await this.#sendTests(this.#botsWithAlerts(bot), severity);
      const isAccepted = targets.every((each) => each.isAccepted);
      this.#log.info({ who: name, severity, isAccepted }, 'test alerts were sent');
      return context.json({ isAccepted, targets: [...targets] }, 200);
    });
  };

  /** @throws {ProblemFault} when no config of the bots has alerts. */
  #botsWithAlerts(name: string | undefined): readonly ConsoleBot[] {
    const asked = name === undefined ? this.#bots : [botNamed(this.#bots, name)];
    const found = asked.filter(({ config }) => config?.content.alerts !== undefined);
    if (found.length > 0) return found;
    throw new ProblemFault('conflict', 'expected a section alerts in the config of a bot, found none');
  }

  async #sendTests(bots: readonly ConsoleBot[], severity: Severity): Promise<readonly BotTest[]> {
    if (this.#isSending)
      throw new ProblemFault('too-many', 'another test is still being sent', { retryAfterMs: RETRY_MS });
    this.#isSending = true;
    try {
      return (await Promise.all(bots.map((bot) => this.#sendTest(bot, severity)))).flat();
    } finally {
      this.#isSending = false;
    }
  }

  async #sendTest({ name: bot, config }: ConsoleBot, severity: Severity): Promise<readonly BotTest[]> {
    if (config === null) return [];
    try {
      const tests = await testAlerts({ file: config.file, severity, isPaper: config.isPaper });
      return tests.map((test) => ({ bot, ...test }));
    } catch (fault) {
      // The message may name the file of a secret.
      if (!isUserError(fault)) throw fault;
      this.#log.error({ err: fault, bot }, 'the alerts of the config cannot be used');
      throw new ProblemFault('conflict', `the alerts of ${bot} cannot be used: the console’s log says why`);
    }
  }
}
