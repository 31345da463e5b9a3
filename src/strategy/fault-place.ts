// Finds the place in an author's own file that threw an error. The error's stack is plain text and differs between
// platforms. Must never name a place in this program, and never throw itself.
import { describeFault } from './fault-text.ts';

/** A place in a source file. */
export interface SourcePlace {
  readonly path: string;
  readonly line: number;
}

/**
 * Describes a thrown value and its place: `TypeError: … (quoter.ts:12)`. The place is left out when the stack shows
 * only this program and the platform.
 */
export const describeThrown = (fault: unknown): string => `${describeFault(fault)}${thrownAt(fault)}`;

/**
 * Returns ` (quoter.ts:12)`: the first place in the author's own files, else in a package of theirs, else an empty
 * text.
 */
export function thrownAt(fault: unknown): string {
  const stack = stackOf(fault);
  if (stack === null) return '';
  const places = placesOf(stack).filter(({ path }) => !isOwnFile(path));
  const place = places.find(isOfAuthor) ?? places[0];
  return place === undefined ? '' : ` (${place.path.slice(place.path.lastIndexOf('/') + 1)}:${place.line})`;
}

/**
 * True when a file of an author is in the stack. Of packages only those of strategies count: this program runs some of its
 * own, and their paths look like those of an author.
 */
export const isByAuthor = (fault: unknown): boolean => placesOf(stackOf(fault) ?? '').some(isOfAuthor);

/** Folders of packages that hold a strategy. Added when one is loaded; never removed: a process loads few. */
const strategyPackages = new Set<string>();

/** Counts the package of a strategy's file, if it is in one, among the files of an author. */
export function addStrategyPackage(file: string): void {
  const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(file)?.[0];
  if (folder !== undefined) strategyPackages.add(folder);
}

function isOfAuthor({ path }: SourcePlace): boolean {
  if (isOwnFile(path)) return false;
  return !path.includes('/node_modules/') || [...strategyPackages].some((folder) => path.startsWith(folder));
}

/** Returns the stack of an error. A strategy's own error may throw where its members are read. */
function stackOf(fault: unknown): string | null {
  try {
    const { stack } = fault instanceof Error ? fault : { stack: null };
    return typeof stack === 'string' ? stack : null;
  } catch {
    return null;
  }
}

/** Returns the places in a stack, innermost first. Those in the platform's own code are left out. */
export const placesOf = (stack: string): SourcePlace[] =>
  stack.split('\n').flatMap((line) => {
    const match = /^(?:\s+at (?:.*\()?)?((?:file:\/\/)?\/.+?):(\d+)(?::\d+)?\)?$/.exec(line);
    return match?.[1] === undefined ? [] : [{ path: pathOf(match[1]), line: Number(match[2]) }];
  });

/** Returns the path of an address. An address with a malformed percent code stays as it is. */
function pathOf(address: string): string {
  if (!address.startsWith('file:')) return address;
  try {
    return decodeURIComponent(new URL(address).pathname);
  } catch {
    return address;
  }
}

const ROOT = pathOf(new URL('../../', import.meta.url).href).replace(/dist\/$/, '');
const OWN_FOLDERS = ['src/', 'dist/', 'backtest/'].map((folder) => ROOT + folder);

/** This package where a project has it installed, or linked: the path then differs from that of this program. */
const INSTALLED_COPY = /\/node_modules\/presage-trading\/(?:src|dist|backtest)\//;

/** The included strategies count as an author's files. */
const isOwnFile = (path: string): boolean =>
  OWN_FOLDERS.some((folder) => path.startsWith(folder)) || INSTALLED_COPY.test(path);
