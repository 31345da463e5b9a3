// What a request read, in words for notices. Pure text; nothing is decided from it.
import type { RequestCommand } from '../domain/command.ts';

/** What a read asked for, in words. */
export function whatWasRead(command: RequestCommand | null): string {
  if (command?.type !== 'read') return 'the venue';
  const { target } = command;
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
    default:
      return target.what;
  }
}
