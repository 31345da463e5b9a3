// The public surface as signatures alone, stored in `api/`. A change of it shows there, and only `npm run api-report`
// accepts it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'presage-api-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SILENT = { default: { logLevel: ExtractorLogLevel.None } } as const;

/** The declarations of an entry of the package. */
function reportOf(entry: string): string {
  const declarations = join(ROOT, 'dist/src', `${entry}.d.ts`);
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as {
    readonly compilerOptions: object;
  };
  const { allowImportingTsExtensions: _, paths: __, ...options } = compilerOptions as Record<string, unknown>;
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: ROOT,
      newlineKind: 'lf',
      mainEntryPointFilePath: declarations,
      compiler: { overrideTsconfig: { compilerOptions: options, files: [declarations] } },
      apiReport: {
        enabled: true,
        reportFileName: 'report',
        reportVariants: ['public'],
        reportFolder: folder,
        reportTempFolder: join(folder, 'temporary'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: SILENT, tsdocMessageReporting: SILENT },
    },
    configObjectFullPath: join(ROOT, 'api/extractor.json'),
    packageJsonFullPath: join(ROOT, 'package.json'),
  });
  // Comparing the file shows the change; the extractor's own message names its temporary folder.
  Extractor.invoke(config, { localBuild: true, messageCallback: (message) => void (message.handled = true) });
  return signatures(readFileSync(join(folder, 'report.public.api.md'), 'utf8'));
}

/** Removes the notes on missing comments: they are not part of a signature. */
const signatures = (report: string): string =>
  report.replaceAll(/^ *\/\/ \(undocumented\)\n/gm, '').replaceAll(' (undocumented)', '');

describe('the public surface', () => {
  it.each([
    ['presage-trading', 'index'],
    ['presage-trading-testing', 'testing/testing-entry'],
    ['presage-trading-research', 'research/research-entry'],
  ])('changes only when its report is made again: %s', { timeout: 120_000 }, async (name, entry) => {
    await expect(reportOf(entry), 'a change of the public surface: npm run api-report accepts it').toMatchFileSnapshot(
      join(ROOT, 'api', `${name}.api.md`),
    );
  });
});
