// Texts that describe reads, for notices. Must never be the basis of a decision.
import type { ReadTarget } from '../domain/venue-command.ts';

/** The subject of a read, as text. */
export function describeRead(target: ReadTarget): string {
  switch (target.what) {
    case 'event':
      return `event ${target.eventTicker}`;
    case 'events':
      return `the event groups of series ${target.seriesTicker}`;
    case 'series':
      return `series ${target.seriesTicker}`;
    case 'fee-changes':
      return `the planned fees of series ${target.seriesTicker}`;
    case 'market':
    case 'book':
      return `${target.what} ${target.ticker}`;
    case 'queue-positions':
      return 'queue positions';
    case 'order':
      return `order ${target.venueOrderId}`;
    case 'status':
    case 'limits':
    case 'balance':
    case 'positions':
    case 'orders':
    case 'fills':
    case 'settlements':
    case 'markets':
      return target.what;
  }
}
