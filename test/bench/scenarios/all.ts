// Every scenario, in the order of the table.
import type { Scenario } from '../scenario.ts';
import { bakeFrames, bakeNaive, importFrames, replayRows, replayRowsBare } from './bake.ts';
import { backtestBare, backtestOrders, backtestRun } from './backtest.ts';
import { bareLoop, bookMemory, books } from './books.ts';
import { engineQuotes, engineSteps } from './engine.ts';
import { exchangeOrders } from './exchange.ts';
import { feedNaive, feedOurs } from './feed.ts';
import { signEd25519, signP256, signPlatform, signPlatformPem, signRsa, signSecp256k1 } from './signatures.ts';
import { crowdedTicks } from './ticks-crowded.ts';
import { followedTicks } from './ticks-followed.ts';
import { ticksNaive } from './ticks-naive.ts';
import { ticksMetered, ticksOurs } from './ticks.ts';
import { whySession } from './why.ts';

export const scenarios: readonly Scenario[] = [
  bareLoop,
  books,
  bookMemory,
  engineSteps,
  backtestBare,
  backtestRun,
  backtestOrders,
  engineQuotes,
  feedNaive,
  feedOurs,
  bakeNaive,
  bakeFrames,
  importFrames,
  replayRowsBare,
  replayRows,
  ticksNaive,
  ticksOurs,
  ...followedTicks,
  ...crowdedTicks,
  ticksMetered,
  whySession,
  exchangeOrders,
  signP256,
  signSecp256k1,
  signEd25519,
  signRsa,
  signPlatform,
  signPlatformPem,
];
