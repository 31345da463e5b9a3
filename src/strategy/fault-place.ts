// Where in an author's own file something was thrown, read from the stack of the error: plain text, of any platform. Must
// never name a place in this program, and never throw itself.
import { describeFault } from './fault-text.ts';

/** A place in a source. */
export interface SourcePlace {
  /** The file's path. */
  readonly path: string;
  readonly line: number;
}

/** What was thrown and where: `TypeError: … (quoter.ts:12)`; without a place where the stack shows none of the author's. */
export const describeThrown = (fault: unknown): string => `${describeFault(fault)}${thrownAt(fault)}`;

/** ` (quoter.ts:12)`: the first place of the author's own that a stack shows; else of a package that it uses; else empty. */
export function thrownAt(fault: unknown): string {
  if (!(fault instanceof Error) || typeof fault.stack !== 'string') return '';
  const places = placesOf(fault.stack).filter(({ path }) => !isOwn(path));
  const place = places.find(({ path }) => !path.includes('/node_modules/')) ?? places[0];
  return place === undefined ? '' : ` (${place.path.slice(place.path.lastIndexOf('/') + 1)}:${place.line})`;
}

/** The places that a stack shows, the innermost first; parts of the platform are left out. */
export const placesOf = (stack: string): SourcePlace[] =>
  stack.split('\n').flatMap((line) => {
    const found = /^(?:\s+at (?:.*\()?)?((?:file:\/\/)?\/.+?):(\d+)(?::\d+)?\)?$/.exec(line);
    return found?.[1] === undefined ? [] : [{ path: pathOf(found[1]), line: Number(found[2]) }];
  });

const pathOf = (address: string): string =>
  address.startsWith('file:') ? decodeURIComponent(new URL(address).pathname) : address;

/** The folder of this package, from its sources and from what is built of them alike. */
const ROOT = pathOf(new URL('../../', import.meta.url).href).replace(/dist\/$/, '');
const OWN = ['src/', 'dist/', 'backtest/'].map((folder) => ROOT + folder);

/** Whether a file is of this program: the strategies that come with it are an author's. */
const isOwn = (path: string): boolean => OWN.some((folder) => path.startsWith(folder));
