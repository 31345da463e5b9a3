// Writes a report as one HTML page with everything in it. The page must never need a network.
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { type PageAssets, renderHtml } from '../report/page/html-page.ts';
import type { Report } from '../report/statement/report.ts';
import { makeFolder } from '../log/make-folder.ts';
import { removeAbandoned, temporaryName } from '../tape/baked/new-file.ts';
import { UsageError } from './usage-error.ts';

/**
 * Writes a report's page.
 * @throws {UsageError} when the page cannot be written.
 */
export const writePage = (file: string, report: Report): void => writePageText(file, renderHtml(report, pageAssets()));

/**
 * Writes a rendered page, and makes its folder.
 * @throws {UsageError} when the page cannot be written.
 */
export function writePageText(file: string, text: string): void {
  refusingFaults(file, () => {
    makeFolder(dirname(file));
    replaceText(file, text);
  });
}

/** Writes a text whole or not at all: a full disk must leave neither half a page nor half of an earlier one. */
export function replaceText(file: string, text: string, write: typeof writeFileSync = writeFileSync): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  // A link to a file that is still to be made, a device or a pipe would be replaced itself.
  if (lstatSync(target, { throwIfNoEntry: false })?.isFile() === false) return write(file, text);
  removeAbandoned(target);
  const part = temporaryName(target, 'new');
  try {
    closeSync(openSync(part, 'wx'));
  } catch {
    // A folder may allow its files to be written, and no new ones to be made.
    return write(file, text);
  }
  try {
    write(part, text);
    renameSync(part, target);
  } catch (fault) {
    rmSync(part, { force: true });
    throw fault;
  }
}

/**
 * Checks before long work that a page can be written. Leaves no file and no folder behind, because the work may be refused.
 * An existing page stays until the new page is written.
 * @throws {UsageError} when the page cannot be written.
 */
export const checkPage = (file: string): void =>
  refusingFaults(file, () => {
    if (existsSync(file)) closeSync(openSync(file, 'a'));
    else tryNewPage(resolve(file));
  });

/** Writes the page on trial in a folder of its own: other processes may make and use the folders of the page meanwhile. */
function tryNewPage(file: string): void {
  const present = presentFolder(dirname(file));
  const trial = mkdtempSync(join(present, '.presage-'));
  try {
    const path = join(trial, relative(present, file));
    makeFolder(dirname(path));
    closeSync(openSync(path, 'a'));
  } finally {
    rmSync(trial, { recursive: true });
  }
}

/** Returns a folder, or the nearest one above it that is there. */
const presentFolder = (folder: string): string => (existsSync(folder) ? folder : presentFolder(dirname(folder)));

function refusingFaults(file: string, write: () => void): void {
  try {
    write();
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    throw new UsageError(`${file}: the report cannot be written: ${reason}`, { cause: fault });
  }
}

/** Loads the parts that every report's page shares. */
export function pageAssets(): PageAssets {
  const { resolve } = createRequire(import.meta.url);
  const text = (file: string): string => readFileSync(resolve(`uplot/dist/${file}`), 'utf8');
  return {
    plotScript: text('uPlot.iife.min.js'),
    plotStyles: text('uPlot.min.css'),
    sha256: (content) => createHash('sha256').update(content, 'utf8').digest('base64'),
  };
}
