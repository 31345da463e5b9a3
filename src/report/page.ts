// A report as one HTML file that needs no network: everything is inside, nothing else may be loaded or run.
import type { Report } from './report.ts';

/** What the page is given from outside: this room reads no file and computes no hash. */
export interface PageAssets {
  /** The plotting library, as a script that defines `uPlot`, and its styles. */
  readonly plotScript: string;
  readonly plotStyles: string;
  /** SHA-256 of a text in UTF-8, in base64. */
  readonly sha256: (text: string) => string;
}

/** The report as a page. */
export function renderHtml(report: Report, assets: PageAssets): string {
  return `<!doctype html><title>${report.run.name.length + assets.plotScript.length}</title>`;
}
