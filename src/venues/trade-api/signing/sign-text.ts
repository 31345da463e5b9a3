// Builds the text to sign and its timestamp by the profile's template. Pure. Must never include a path's query in the
// signed text.
import type { Micros } from '../../../domain/units.ts';
import type { Signing } from '../profiles/wire-profile.ts';

/** The parts of a request that are signed. */
export interface SignableRequest {
  readonly method: string;
  readonly path: string;
}

/** A venue time in the format of the signed text. */
export function timestampOf(signing: Pick<Signing, 'timestampUnit'>, venueAt: Micros): string {
  return String(Math.floor(venueAt / (signing.timestampUnit === 'ms' ? 1000 : 1_000_000)));
}

/** The text to sign. */
export function signedText(signing: Pick<Signing, 'template'>, timestamp: string, request: SignableRequest): string {
  const query = request.path.indexOf('?');
  const path = query < 0 ? request.path : request.path.slice(0, query);
  const parts: Readonly<Record<string, string>> = { timestamp, method: request.method, path };
  return signing.template.replace(/\{(\w+)\}/g, (whole, part: string) => parts[part] ?? whole);
}
