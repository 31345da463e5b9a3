// Writes a report as a page: its figures, and the plotting library and its styles, as installed.
// Must never reach for the network: the page has to open without one.
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type PageAssets, renderHtml } from '../report/page/html-page.ts';
import type { Report } from '../report/statement/report.ts';
import { UsageError } from './usage-error.ts';

/**
 * Writes a report's page.
 * @throws {UsageError} when it cannot be written.
 */
export function writePage(file: string, report: Report): void {
  const text = renderHtml(report, pageAssets());
  writing(file, () => writeFileSync(file, text));
}

/**
 * Sees that a page can be written there, before long work. One that is there stays until it is written anew.
 * @throws {UsageError} when it cannot.
 */
export const reservePage = (file: string): void => writing(file, () => closeSync(openSync(file, 'a')));

function writing(file: string, write: () => void): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    write();
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    throw new UsageError(`${file}: the report cannot be written: ${reason}`, { cause: fault });
  }
}

/** What a page is made of besides its figures. */
export function pageAssets(): PageAssets {
  const { resolve } = createRequire(import.meta.url);
  const text = (file: string): string => readFileSync(resolve(`uplot/dist/${file}`), 'utf8');
  return {
    plotScript: text('uPlot.iife.min.js'),
    plotStyles: text('uPlot.min.css'),
    sha256: (content) => createHash('sha256').update(content, 'utf8').digest('base64'),
  };
}
