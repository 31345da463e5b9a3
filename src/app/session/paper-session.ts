// Paper sessions: the venue's real feed with a simulated account. Must never send a real order. Must never use the
// config's key, unless the venue's public data needs a key.
import { dirname } from 'node:path';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type BotConfig, readBotConfig } from '../../config/bot-config.ts';
import { simulatedRounding } from '../../config/simulation-config.ts';
import { money } from '../../domain/units.ts';
import type { ExchangeLedger } from '../../report/account/ledger-comparison.ts';
import { PaperVenue } from '../../runtime/paper/paper-venue.ts';
import { stagesFolder } from '../../runtime/stages/stage-steps.ts';
import { systemScheduler } from '../../transport/scheduler.ts';
import { PermanentTickers } from '../../venues/simulated/feed/permanent-tickers.ts';
import { latencyModel } from '../../venues/simulated/models/latency-models.ts';
import { openSimulator } from '../../venues/simulated/open-simulator.ts';
import type { Simulator } from '../../venues/simulated/simulator.ts';
import { latencySamples } from '../backtest/latency-samples.ts';
import { type StagePosition, stagePositionOf } from '../stages/stage-gate.ts';
import { UsageError } from '../usage-error.ts';
import { knownProfile } from '../venue/known-profile.ts';
import { type OpenVenueOptions, type OpenedVenue, openVenue } from '../venue/open-venue.ts';
import { logBeside } from './log-beside.ts';
import { paperFolder } from './paper-folder.ts';
import type { SessionMode } from './session-run.ts';

/** Paper sessions: no order leaves this machine. */
export const PAPER_MODE: SessionMode = {
  readConfig: readPaperConfig,
  stagePosition: paperStagePosition,
  openVenue: openPaperVenue,
};

/** A paper session has no watchdog, and a data folder and a log of its own. */
function readPaperConfig(file: string): BotConfig {
  const config = readBotConfig(file);
  if (config.paper === undefined)
    throw new UsageError(`${file}: expected a section paper, such as paper: { cash: 1000 }, found none`);
  const { dataFolder, watchdog, log } = config;
  return {
    ...config,
    log: { ...log, file: logBeside(log.file, 'paper') },
    watchdog: { ...watchdog, enabled: false },
    ...(dataFolder !== undefined && { dataFolder: paperFolder(dataFolder) }),
  };
}

/** The steps are saved with the bot's: the data folder of paper sessions is inside the bot's data folder. */
function paperStagePosition(config: BotConfig): StagePosition | null {
  const position = stagePositionOf(config);
  if (position === null || config.dataFolder === undefined) return null;
  return { ...position, rung: 'paper', folder: stagesFolder(dirname(config.dataFolder)) };
}

async function openPaperVenue(options: OpenVenueOptions & { readonly config: BotConfig }): Promise<OpenedVenue> {
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
    latency: latencyModel(simulation.latency, latencySamples(simulation, 'paper.simulation.latency')),
    draw: () => uniformFloat64(random),
    clock: opened.clock,
    scheduler: systemScheduler,
  });
  const ledger = (): ExchangeLedger => simulatedLedger(simulated, tickers);
  return { ...opened, venue, hasKey: true, isPaper: true, openSecond: null, ledger };
}

function simulatedLedger(simulated: Simulator | null, tickers: PermanentTickers): ExchangeLedger {
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
