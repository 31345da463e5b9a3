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
  let text = '';
  for (const { before, part } of piecesOf(signing.template)) text += before + (parts[part] ?? wordOf(part));
  return text;
}

/** A piece of a template: a text, then the name of a part; no name at the end. */
interface Piece {
  readonly before: string;
  readonly part: string;
}

/** Word of a part in a template. */
const wordOf = (part: string): string => (part === '' ? '' : `{${part}}`);

/** Pieces by template. One entry for each template of the profiles in use. */
const pieces = new Map<string, readonly Piece[]>();

function piecesOf(template: string): readonly Piece[] {
  let found = pieces.get(template);
  if (found === undefined) {
    const words = template.split(/\{(\w+)\}/);
    found = words.flatMap((before, at) => (at % 2 === 0 ? [{ before, part: words[at + 1] ?? '' }] : []));
    pieces.set(template, found);
  }
  return found;
}
