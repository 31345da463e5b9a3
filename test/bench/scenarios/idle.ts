// Measures a bot that waits: ten thousand markets whose books do not change, in virtual time, with every duty of a live
// session. The figure is the share of a core that its engine uses.
import { fromSeconds } from '../../../src/domain/units.ts';
import type { Engine } from '../../../src/engine.ts';
import { aMarket } from '../../support/engine/builders.ts';
import { EngineHarness, aStrategy } from '../../support/engine/engine-harness.ts';
import type { Scenario } from '../scenario.ts';

const MARKETS = 10_000;
/** Seconds of virtual time before the measurement, and within it. */
const SETTLED_AFTER = 60;
const MEASURED = 300;
/** The feed shows a sign of life this often. */
const HEARD_EVERY = 5;

function passTime(bot: EngineHarness, seconds: number): void {
  for (let passed = 0; passed < seconds; passed += HEARD_EVERY) {
    bot.run(HEARD_EVERY * 1000);
    bot.step({ kind: 'feed-heard', at: bot.now });
  }
}

/** Adds up the time within an engine. The venue of the harness, beside it, is slower than the engine. */
function timeSteps(engine: Engine): { ms: number } {
  const spent = { ms: 0 };
  const step = engine.step.bind(engine);
  const wakeAt = engine.wakeAt.bind(engine);
  engine.step = (event) => {
    const began = performance.now();
    const commands = step(event);
    spent.ms += performance.now() - began;
    return commands;
  };
  engine.wakeAt = () => {
    const began = performance.now();
    const at = wakeAt();
    spent.ms += performance.now() - began;
    return at;
  };
  return spent;
}

export const idle: Scenario = {
  name: 'idle',
  what: 'a bot of 10 000 markets whose books do not change: time of its engine, of the time that passes',
  run() {
    const closeAt = fromSeconds(4_000_000_000);
    const markets = Array.from({ length: MARKETS }, (_, number) => aMarket(number, { closeAt }));
    const bot = new EngineHarness({ markets, strategies: [aStrategy({ onBook: () => undefined })] });
    bot.venue.pageSize = 1000;
    bot.startTrading();
    passTime(bot, SETTLED_AFTER);
    const spent = timeSteps(bot.engine);
    passTime(bot, MEASURED);
    return { percentOfCore: spent.ms / (MEASURED * 10) };
  },
};
