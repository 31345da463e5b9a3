// Watches a venue for `presage drift`, and passes on every frame and answer. Must never place or cancel an order: a key
// is used for reads only.
import type { BotConfig } from '../../config/bot-config.ts';
import type { ReadCommand, ReadTarget } from '../../domain/venue-command.ts';
import { openLog } from '../../log.ts';
import { LiveSession } from '../../runtime/session/live-session.ts';
import type { Journal } from '../../tape/journal/journal-port.ts';
import type { Venue } from '../../venue.ts';
import type { DriftSource } from './drift-recordings.ts';
import { countAnswer } from './drift-recordings.ts';
import { type OpenedVenue, openVenue } from '../venue/open-venue.ts';
import { runUntilStopped } from '../session/until-stopped.ts';

const PRIVATE_READS: readonly ReadTarget[] = [
  { what: 'limits' },
  { what: 'balance' },
  { what: 'positions' },
  { what: 'orders', status: 'any', since: null },
  { what: 'fills', since: null },
  { what: 'settlements', since: null },
];

export interface WatchOptions extends DriftSource {
  readonly config: BotConfig;
  readonly forMs: number;
}

/**
 * Watches the venue of a config.
 * @returns the reason of a bad end, `null` after a good end.
 */
export async function watchVenue(options: WatchOptions): Promise<string | null> {
  const { limits: _none, ...rest } = options.config;
  const config: BotConfig = { ...rest, strategies: [] };
  const log = openLog(config.log);
  const opened = await openVenue({ config, log });
  try {
    if (opened.hasKey) await readAccount(opened.venue, opened.clock, options);
    const session = new LiveSession({
      config,
      venue: opened.venue,
      strategies: [],
      hasKey: false,
      log,
      clock: opened.clock,
      journal: driftJournal(options),
    });
    const withinMs = Math.ceil(config.orders.stopWithin / 1000);
    const end = await runUntilStopped(session, { forMs: options.forMs, withinMs });
    if (end.type === 'refused') return end.reason;
    return end.type === 'fault' ? String(end.fault) : null;
  } finally {
    await opened.close();
    log.flush();
  }
}

async function readAccount(venue: Venue, clock: OpenedVenue['clock'], options: DriftSource): Promise<void> {
  for (const [index, target] of PRIVATE_READS.entries()) {
    const command: ReadCommand = {
      type: 'read',
      id: -1 - index,
      createdAt: clock.now(),
      validUntil: null,
      lane: 'care',
      target,
      cursor: null,
    };
    const { outcome } = await venue.gateway.send(command, new AbortController().signal);
    countAnswer({ command, outcome }, options);
  }
}

const driftJournal = (options: DriftSource): Journal => ({
  writeInput(input) {
    if (input.type === 'frame') options.tally.message(Buffer.from(input.bytes).toString());
    else if (input.type === 'answer') countAnswer(input, options);
  },
  writeNotices: () => undefined,
  writeCommands: () => undefined,
});
