// Checks code and configs on the project's pages: TypeScript compiles, and YAML fits the schemas.
import { describe, expect, it } from 'vitest';
import { readPages } from './pages.ts';
import { typeFaults } from './type-check.ts';
import { yamlFaults } from './yaml-blocks.ts';

/**
 * Prefix of pages whose code is signatures of the public surface, not modules. Another test compares those pages with
 * the sources.
 */
const SIGNATURES = 'docs/reference/api';

const pages = readPages().filter(({ path }) => !path.startsWith(SIGNATURES));
const blocks = pages.flatMap(({ path, blocks: all }) =>
  all.map((block) => ({ ...block, place: `${path}:${block.line}` })),
);

describe('TypeScript on the pages', () => {
  it('type-checks against the public surface', async () => {
    const snippets = blocks.filter(({ lang, info }) => lang === 'ts' && info === '');
    expect(snippets.length).toBeGreaterThan(0);
    expect(await typeFaults(snippets)).toEqual([]);
  });

  it('would fail the type check if it were wrong', async () => {
    const text =
      "import { type Price, cents, contracts } from 'presage-trading';\nexport const bid: Price = cents(1);\nexport const ask: Price = contracts(1);\n";
    expect(await typeFaults([{ place: 'page:1', text }])).toMatchObject([
      expect.stringMatching(/^page:1, line 3 of it: error TS2322: Type 'Qty' is not assignable to type 'Price'/),
    ]);
  });

  it('is marked as `ts` or `yaml`, never by another name', () => {
    expect(blocks.filter(({ lang }) => ['typescript', 'js', 'javascript', 'yml'].includes(lang))).toEqual([]);
  });
});

describe('YAML on the pages', () => {
  it('fits the schemas', () => {
    const yaml = blocks.filter(({ lang }) => lang === 'yaml');
    expect(yaml.length).toBeGreaterThan(3);
    expect(
      yaml.flatMap(({ place, text, info }) => yamlFaults(text, info).map((fault) => `${place}: ${fault}`)),
    ).toEqual([]);
  });

  it('would not fit the schemas if it were wrong', () => {
    expect(yamlFaults('upkeep: { fill: 1m }\n', '')).toMatchObject([
      expect.stringMatching(/^as bot: upkeep/),
      expect.stringMatching(/^as backtest: upkeep/),
    ]);
    expect(yamlFaults('a: 1\n', 'nothing')).toHaveLength(1);
  });
});
