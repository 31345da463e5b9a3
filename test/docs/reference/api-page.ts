// Makes the pages of the public surface with TypeDoc, from `src/index.ts` and `src/testing/testing-entry.ts` and their
// comments.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application, LogLevel } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { ROOT, pageOf } from '../pages.ts';

/** Matches TypeDoc's name for a destructured parameter. */
const UNNAMED = /\\?_\\?_namedParameters/g;

/** Importable modules: the source, the file that TypeDoc makes from it, and the page. */
const MODULES = [
  { source: 'src/index.ts', made: 'index-1.md', page: 'api.md', name: 'presage-trading' },
  {
    source: 'src/testing/testing-entry.ts',
    made: 'testing/testing-entry.md',
    page: 'api-testing.md',
    name: 'presage-trading/testing',
  },
] as const;

/** A page of the reference. */
export interface ApiPage {
  readonly page: string;
  readonly text: string;
}

const LOOKS: Partial<PluginOptions> = {
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hidePageTitle: true,
  useHTMLEncodedBrackets: false,
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  typeDeclarationVisibility: 'compact',
  tableColumnSettings: {
    hideSources: true,
    hideModifiers: true,
    hideDefaults: true,
    hideInherited: true,
    hideOverrides: true,
  },
};

/**
 * Makes the pages of all modules. The warnings name types that the pages refer to and that cannot be imported, a fault
 * of the surface.
 * @throws {Error} when TypeDoc cannot read a module.
 */
export async function apiPages(): Promise<{ readonly pages: readonly ApiPage[]; readonly warnings: string[] }> {
  const out = mkdtempSync(join(tmpdir(), 'presage-api-'));
  try {
    const app = await Application.bootstrapWithPlugins({
      entryPoints: MODULES.map(({ source }) => join(ROOT, source)),
      tsconfig: join(ROOT, 'tsconfig.json'),
      plugin: ['typedoc-plugin-markdown'],
      router: 'module',
      entryFileName: 'index',
      readme: 'none',
      // The compiler has already checked everything.
      skipErrorChecking: true,
      disableSources: true,
      // A default is a value with its meaning, not code.
      jsDocCompatibility: { defaultTag: false },
      excludeExternals: true,
      excludePrivate: true,
      // Notices that a stage returns are for inspection in tests and no part of the surface.
      intentionallyNotExported: ['Notice'],
      logLevel: LogLevel.None,
      out,
      ...LOOKS,
    });
    const warnings: string[] = [];
    app.logger.warn = (text) => void warnings.push(text);
    const project = await app.convert();
    if (!project) throw new Error('the public surface cannot be documented');
    app.validate(project);
    await app.generateOutputs(project);
    const made = MODULES.map(({ made: file }) => readFileSync(join(out, file), 'utf8').replaceAll(UNNAMED, 'options'));
    const anchors = new Map(MODULES.map(({ page }, index) => [page, pageOf(page, made[index] ?? '').anchors]));
    const pages = MODULES.map(({ page, name }, index) => ({
      page,
      text: `# The public surface: ${name}\n\nEverything that \`import { … } from '${name}'\` can import.\n\n${withAnchors(made[index] ?? '', page, anchors)}`,
    }));
    return { pages, warnings };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/**
 * Makes links lead to the pages by their names. TypeDoc numbers some headings whose name is unique; their links lose
 * the number.
 */
function withAnchors(text: string, own: string, anchors: ReadonlyMap<string, ReadonlySet<string>>): string {
  return text.replaceAll(
    /\]\((?:\.\.\/)?((?:[\w-]+\/)?[\w-]+\.md)?#([\w-]+?)(-\d+)?\)/g,
    (_, made: string | undefined, base: string, count = '') => {
      const page = made === undefined ? own : (MODULES.find((each) => each.made === made)?.page ?? made);
      const anchor = anchors.get(page)?.has(base + count) === true ? base + count : base;
      return `](${made === undefined ? '' : page}#${anchor})`;
    },
  );
}
