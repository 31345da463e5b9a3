// Writes a report as one HTML page with everything in it. The page must never need a network.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { type PageAssets, renderHtml } from '../report/page/html-page.ts';
import type { Report } from '../report/statement/report.ts';
import { makeFolder } from '../log/make-folder.ts';
import { UsageError } from './usage-error.ts';

/**
 * Writes a report's page.
 * @throws {UsageError} when the page cannot be written.
 */
export function writePage(file: string, report: Report): void {
  const text = renderHtml(report, pageAssets());
  refusingFaults(file, () => {
    makeFolder(dirname(file));
    writeFileSync(file, text);
  });
}

/**
 * Checks before long work that a page can be written. Leaves no file and no folder behind, because the work may be refused.
 * An existing page stays until the new page is written.
 * @throws {UsageError} when the page cannot be written.
 */
export const checkPage = (file: string): void =>
  refusingFaults(file, () => {
    const made = makeFolder(dirname(file));
    try {
      const isThere = existsSync(file);
      closeSync(openSync(file, 'a'));
      if (!isThere) unlinkSync(file);
    } finally {
      if (made !== undefined) removeFolders(resolve(dirname(file)), made);
    }
  });

/** Removes a folder and its parents up to `top`. All of them are empty. */
function removeFolders(folder: string, top: string): void {
  rmdirSync(folder);
  if (folder !== top) removeFolders(dirname(folder), top);
}

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
