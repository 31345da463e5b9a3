// The page of the public surface, made by TypeDoc of `src/index.ts` and `src/testing/index.ts` and the comments in them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application, LogLevel } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { ROOT, pageOf } from '../pages.ts';

/** What parameters are called that are taken apart where they are given. */
const UNNAMED = /\\?_\\?_namedParameters/g;

/** Each module that can be imported: its source, the file that TypeDoc makes of it, and the page that it becomes. */
const MODULES = [
  { source: 'src/index.ts', made: 'index-1.md', page: 'api.md', name: 'presage-trading' },
  { source: 'src/testing/index.ts', made: 'testing.md', page: 'api-testing.md', name: 'presage-trading/testing' },
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
 * The pages of all modules; and what they refer to that nobody can import, which is a fault of the surface.
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
      // The compiler has looked at everything already.
      skipErrorChecking: true,
      disableSources: true,
      // A default is a value with its meaning, not code.
      jsDocCompatibility: { defaultTag: false },
      excludeExternals: true,
      excludePrivate: true,
      // What a stage hands on as logs have it is for looking at, and no part of the surface.
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
      text: `# The public surface: ${name}\n\nWhat \`import { … } from '${name}'\` gives.\n\n${withAnchors(made[index] ?? '', page, anchors)}`,
    }));
    return { pages, warnings };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Links lead to the pages by their names; those to a heading that is counted although no other has its name, to that. */
function withAnchors(text: string, own: string, anchors: ReadonlyMap<string, ReadonlySet<string>>): string {
  return text.replaceAll(
    /\]\(([\w-]+\.md)?#([\w-]+?)(-\d+)?\)/g,
    (_, made: string | undefined, base: string, count = '') => {
      const page = made === undefined ? own : (MODULES.find((each) => each.made === made)?.page ?? made);
      const anchor = anchors.get(page)?.has(base + count) === true ? base + count : base;
      return `](${made === undefined ? '' : page}#${anchor})`;
    },
  );
}
