// The page of the public surface, made by TypeDoc of `src/index.ts` and `src/testing/index.ts` and the comments in them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application, LogLevel } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { ROOT, pageOf } from '../pages.ts';

/** What parameters are called that are taken apart where they are given. */
const UNNAMED = /\\?_\\?_namedParameters/g;

/** What a module is called by those who import it, and where its source is. */
export interface Entry {
  readonly name: string;
  readonly source: string;
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
 * The page of a module; and what it refers to that nobody can import, which is a fault of the surface.
 * @throws {Error} when TypeDoc cannot read the module.
 */
export async function apiPage({
  name,
  source,
}: Entry): Promise<{ readonly text: string; readonly warnings: string[] }> {
  const out = mkdtempSync(join(tmpdir(), 'presage-api-'));
  try {
    const app = await Application.bootstrapWithPlugins({
      entryPoints: [join(ROOT, source)],
      tsconfig: join(ROOT, 'tsconfig.json'),
      plugin: ['typedoc-plugin-markdown'],
      router: 'module',
      name,
      readme: 'none',
      // The compiler has looked at everything already.
      skipErrorChecking: true,
      disableSources: true,
      excludeExternals: true,
      excludePrivate: true,
      logLevel: LogLevel.None,
      out,
      ...LOOKS,
    });
    const warnings: string[] = [];
    app.logger.warn = (text) => void warnings.push(text);
    const project = await app.convert();
    if (!project) throw new Error(`${source} cannot be documented`);
    app.validate(project);
    await app.generateOutputs(project);
    const text = readFileSync(join(out, 'README.md'), 'utf8');
    return { text: withAnchors(text.replaceAll(UNNAMED, 'options')), warnings };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Links to a heading that is counted although no other has its name lead to it all the same. */
function withAnchors(text: string): string {
  const { anchors } = pageOf('api.md', text);
  return text.replaceAll(/\]\(#([\w-]+?)(-\d+)\)/g, (link, base: string, count: string) =>
    anchors.has(base + count) || !anchors.has(base) ? link : `](#${base})`,
  );
}
