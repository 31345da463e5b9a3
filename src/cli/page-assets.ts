// Reads what a report's page is made of besides its figures: the plotting library and its styles, as installed.
// Must never reach for the network: the page has to open without one.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { PageAssets } from '../report/page.ts';

/** The page's assets. */
export function pageAssets(): PageAssets {
  const { resolve } = createRequire(import.meta.url);
  const text = (file: string): string => readFileSync(resolve(`uplot/dist/${file}`), 'utf8');
  return {
    plotScript: text('uPlot.iife.min.js'),
    plotStyles: text('uPlot.min.css'),
    sha256: (content) => createHash('sha256').update(content, 'utf8').digest('base64'),
  };
}
