// Handlers of the routes that explain trades, from the journals of the bots. Must never replay two journals at a time,
// or answer with a path of this machine.
import { UsageError } from '../../app/usage-error.ts';
import { openWhySource, whyDay, whyTime } from '../../app/why/why-run.ts';
import type { Logger } from '../../log.ts';
import { type WhyOptions, answerWhy, answerWhyOrder, unknownMarketText } from '../../why/answer-why.ts';
import type { WhyAnswer } from '../../why/why-answer.ts';
import { WhyFault } from '../../why/why-fault.ts';
import type { WhySource } from '../../why/why-source.ts';
import { whyOrderRoute, whyRoute } from '../api/why-routes.ts';
import type { ConsoleBot } from '../bots/console-bot.ts';
import { type ConsoleApp, botNamed } from './console-app.ts';
import { ProblemFault } from './problem.ts';

export interface WhyHandlersOptions {
  readonly bots: readonly ConsoleBot[];
  readonly log: Logger;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
}

/** Most questions that are answered or wait. */
const QUESTIONS_MAX = 4;
const RETRY_MS = 5000;

type Question<Answer> = (source: WhySource, options: WhyOptions) => Promise<Answer>;

/** The handlers of the questions to all journals. */
export class WhyHandlers {
  readonly #options: WhyHandlersOptions;
  /** The latest question. The next question waits for it. */
  #latest: Promise<unknown> = Promise.resolve();
  #questions = 0;

  constructor(options: WhyHandlersOptions) {
    this.#options = options;
  }

  readonly addTo = (app: ConsoleApp): void => {
    const { bots, nowMs } = this.#options;
    app.openapi(whyRoute, async (context) => {
      const bot = botNamed(bots, context.req.valid('param').bot);
      const { market, at, strategy, session } = context.req.valid('query');
      const answers = await this.#ask(bot, context.req.raw.signal, (source, options) => {
        const nowUs = nowMs() * 1000;
        const atUs = momentOf(at, { dayUs: whyDay(source, session) ?? nowUs, nowUs });
        return answerWhy(source, { ticker: market, atUs, strategy, session }, options);
      });
      refuseUnknownMarket(answers);
      return context.json({ answers: [...answers] }, 200);
    });
    app.openapi(whyOrderRoute, async (context) => {
      const { bot: name, id } = context.req.valid('param');
      const order = await this.#ask(botNamed(bots, name), context.req.raw.signal, (source, options) =>
        answerWhyOrder(source, { clientOrderId: id }, options),
      );
      return context.json(order, 200);
    });
  };

  /**
   * Asks a journal, after the earlier questions. The signal ends the replay.
   * @throws {ProblemFault} when there is no answer.
   */
  async #ask<Answer>(bot: ConsoleBot, signal: AbortSignal, question: Question<Answer>): Promise<Answer> {
    if (this.#questions >= QUESTIONS_MAX)
      throw new ProblemFault('too-many', 'other questions are still being answered', { retryAfterMs: RETRY_MS });
    this.#questions += 1;
    const asked = this.#latest.then(() => {
      if (signal.aborted) throw new WhyFault('the request was ended before it was answered');
      return question(sourceOf(bot), { signal });
    });
    this.#latest = asked.catch(() => undefined);
    try {
      return await asked;
    } catch (fault) {
      throw this.#problemOf(bot, fault);
    } finally {
      this.#questions -= 1;
    }
  }

  /** The words of a `WhyFault` are for the person. Other faults may name paths, and are only logged. */
  #problemOf(bot: ConsoleBot, fault: unknown): ProblemFault {
    if (fault instanceof ProblemFault) return fault;
    if (fault instanceof WhyFault) return new ProblemFault('not-found', fault.message);
    this.#options.log.error({ err: fault, bot: bot.name }, 'the journal could not be replayed');
    return new ProblemFault('no-history', 'the journal could not be replayed: the console’s log says why');
  }
}

/** @throws {ProblemFault} when the bot has no journal. */
function sourceOf({ dataFolder: data }: ConsoleBot): WhySource {
  try {
    return openWhySource({ data });
  } catch (fault) {
    if (fault instanceof UsageError) throw new ProblemFault('not-found', 'this bot has no journal yet');
    throw fault;
  }
}

/** @throws {ProblemFault} when the text is not a time. */
function momentOf(at: string, context: Parameters<typeof whyTime>[1]): number {
  try {
    return whyTime(at, context);
  } catch (fault) {
    if (!(fault instanceof UsageError)) throw fault;
    const errors = [{ path: 'at', message: fault.message.replace(/^--at: /, '') }];
    throw new ProblemFault('invalid', errors[0]?.message ?? 'expected a time', { errors });
  }
}

/** @throws {ProblemFault} when no session of the answers had the market. */
function refuseUnknownMarket(answers: readonly WhyAnswer[]): void {
  const text = unknownMarketText(answers);
  if (text !== null) throw new ProblemFault('not-found', text);
}
