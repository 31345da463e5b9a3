// `presage paper`: a session like any other, on the venue's real feed, with a simulated account in place of ours.
// Must never use the config's key for anything but a feed that wants one, and must never trade.
import { dirname, join } from 'node:path';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type BotConfig, readBotConfig } from '../config/bot-config.ts';
import { simulatedRounding } from '../config/simulation-config.ts';
import { money } from '../domain/units.ts';
import type { ExchangeLedger } from '../report/account/ledger-comparison.ts';
import { stagesFolder } from '../runtime/stages/stage-steps.ts';
import { PaperVenue } from '../runtime/paper/paper-venue.ts';
import { systemScheduler } from '../transport/scheduler.ts';
import { PermanentTickers } from '../venues/simulated/feed/permanent-tickers.ts';
import { latencyModel } from '../venues/simulated/models/latency-models.ts';
import { openSimulator } from '../venues/simulated/open-simulator.ts';
import type { Simulator } from '../venues/simulated/simulator.ts';
import { type StagePosition, stagePositionOf } from '../app/stages/stage-gate.ts';
import { latencySamples } from '../app/backtest/latency-samples.ts';
import { type OpenVenueOptions, type OpenedVenue, knownProfile, openVenue } from '../app/venue/open-venue.ts';
import { runSession, sessionCommand } from './run-command.ts';
import { UsageError } from '../app/usage-error.ts';

/** The command. */
export function paperCommand() {
  return sessionCommand('paper')
    .description('Trade on paper: the venue’s real feed, a simulated account. No order ever leaves this machine.')
    .addHelpText(
      'after',
      `
The config is a bot’s, with a section more:

  paper:
    cash: 1000               # dollars the account opens with, each time anew
    simulation:              # optional: see docs/concepts/simulated-venue.md
      latency: { order: { model: constant, delay: 150ms } }

Everything else is as in a live session: strategies, limits, budgets, halts, journal; what it keeps goes into
<data folder>/paper. What rests is in nobody’s way: the market does not react to it, which a real one would.

Exit code: as of \`presage run\`.

Examples:
  presage paper --config config/paper.yaml --for 10m  on the exchange inside
  presage paper --config config/paper.yaml --record   the session on a tape`,
    )
    .action(async (options) => {
      process.exitCode = await runSession(options, { read: readPaperConfig, standing, open: openPaper });
    });
}

/** A bot's config of which nothing can reach the venue, nor meddle with what a live session keeps. */
function readPaperConfig(file: string): BotConfig {
  const config = readBotConfig(file);
  if (config.paper === undefined)
    throw new UsageError(`${file}: expected a section paper, such as paper: { cash: 1000 }, found none`);
  const { dataFolder, watchdog } = config;
  return {
    ...config,
    watchdog: { ...watchdog, enabled: false },
    ...(dataFolder !== undefined && { dataFolder: join(dataFolder, 'paper') }),
  };
}

/** The rung of paper: on the feed of one of the venue's worlds, whichever. What it keeps is below the bot's own folder. */
function standing(config: BotConfig): StagePosition | null {
  const found = stagePositionOf(config);
  if (found === null || config.dataFolder === undefined) return null;
  return { ...found, rung: 'paper', folder: stagesFolder(dirname(config.dataFolder)) };
}

async function openPaper(options: OpenVenueOptions & { readonly config: BotConfig }): Promise<OpenedVenue> {
  const { config, seed = 1 } = options;
  const { paper } = config;
  if (paper === undefined) throw new UsageError('expected a section paper in the config, found none');
  const { simulation, cash } = paper;
  const tickers = new PermanentTickers();
  const { feeRounding: direct } = knownProfile(config.venue.profile);
  const feeRounding = simulatedRounding(simulation.fees, direct, config.venue.clearing);
  const opened = await openVenue({ ...options, publicOnly: true, tickers, feeRounding });
  const { capabilities } = opened.venue;
  const random = xoroshiro128plus(seed);
  let simulated: Simulator | null = null;
  const venue = new PaperVenue({
    venue: opened.venue,
    simulate: (sink) =>
      (simulated = openSimulator({ config: simulation, tickers, capabilities, openingCash: cash, sink })),
    latency: latencyModel(simulation.latency, latencySamples(simulation)),
    draw: () => uniformFloat64(random),
    clock: opened.clock,
    scheduler: systemScheduler,
  });
  return { ...opened, venue, hasKey: true, isPaper: true, ledger: () => ledgerOf(simulated, tickers) };
}

/** The simulated account, for the comparison at the end. */
function ledgerOf(simulated: Simulator | null, tickers: PermanentTickers): ExchangeLedger {
  if (!simulated) throw new UsageError('nothing was simulated');
  const { cash, available, feesPaid: fees, fills } = simulated.account;
  const markets = [...new Set(fills.map(({ market }) => market))];
  const positions = markets.map((market) => ({
    ticker: tickers.tickerOf(market),
    qty: simulated.account.positionOf(market),
    fees: money(fills.reduce((sum, fill) => (fill.market === market ? sum + fill.fee : sum), 0)),
  }));
  return { cash, reserved: money(cash - available), fees, positions };
}
