// What is signed, and the time it says, as the profile's template puts it. Pure.
// Must never take the query of a path into the signed text.
import type { Micros } from '../../domain/units.ts';
import type { Signing } from './profile.ts';

/** A request, as far as its signature goes. */
export interface Signable {
  readonly method: string;
  /** From the root. */
  readonly path: string;
}

/** A time of the venue's clock, as the signed text tells it. */
export function timestampOf(signing: Pick<Signing, 'timestampUnit'>, venueAt: Micros): string {
  return String(Math.floor(venueAt / (signing.timestampUnit === 'ms' ? 1000 : 1_000_000)));
}

/** The text to be signed. */
export function signedText(signing: Pick<Signing, 'template'>, timestamp: string, request: Signable): string {
  const query = request.path.indexOf('?');
  const path = query < 0 ? request.path : request.path.slice(0, query);
  const parts: Readonly<Record<string, string>> = { timestamp, method: request.method, path };
  return signing.template.replace(/\{(\w+)\}/g, (whole, part: string) => parts[part] ?? whole);
}
