// The pages of docs/internals lead through the code: each hop of a path is where the page says, the one before leads to
// it, and every file and symbol that a page names exists. `npm run docs` writes the lines again.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAYERS } from '../support/tidy/layers.ts';
import { ROOT, pageOf } from './pages.ts';
import { type Hop, type Place, mentionsOf, pathsOf, withLines } from './paths/page-places.ts';
import { type Definition, SourceGraph } from './paths/source-graph.ts';

const MAP = 'src/README.md';
const PAGES = [
  MAP,
  ...readdirSync(join(ROOT, 'docs/internals'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/internals/${name}`),
];
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

const graph = new SourceGraph();
const definitionOf = ({ file, symbol, line }: Place): Definition | undefined =>
  graph.definitionsOf(file, symbol, line)[0];

/** A hop with the hop before it in its list; `null` for the first. */
interface Step {
  readonly before: Hop | null;
  readonly hop: Hop;
}

/** The steps of a page. A list whose first hop has a link of its own continues the list before. */
function stepsOf(text: string): Step[] {
  const steps: Step[] = [];
  for (const path of pathsOf(text))
    for (const [index, hop] of path.entries()) {
      const isContinued = index === 0 && hop.link.type !== 'call';
      steps.push({ before: path[index - 1] ?? (isContinued ? (steps.at(-1)?.hop ?? null) : null), hop });
    }
  return steps;
}

/** The line at which a place of a page is now; the written one where it is not found. */
function presentLine(place: Place, step: Step | undefined): number {
  if (place.symbol !== '') return definitionOf(place)?.line ?? place.line;
  const target = step === undefined ? undefined : definitionOf(step.hop.place);
  if (target === undefined) return place.line;
  const lines = graph.assignmentsOf(place.file, target);
  return lines.toSorted((one, other) => Math.abs(one - place.line) - Math.abs(other - place.line))[0] ?? place.line;
}

/** The order of the layers, as the map writes it in one line. */
const LAYER_ORDER = `\`${LAYERS.map((group) => (group.length === 1 ? group[0] : `{${group.join(', ')}}`)).join(' → ')}\``;

/** The text of a page with the lines at which its places are now, and the present order of the layers. */
function relined(text: string): string {
  const steps = stepsOf(text);
  const stepAt = (pageLine: number): Step | undefined => steps.findLast(({ hop }) => hop.line <= pageLine);
  return withLines(text.replace(/^`base → .*`$/m, LAYER_ORDER), (place, pageLine) =>
    presentLine(place, stepAt(pageLine)),
  );
}

/** Returns what is wrong with a step; `null` when the hop before leads to the hop. */
function stepFault({ before, hop }: Step): string | null {
  const { place, link } = hop;
  const to = definitionOf(place);
  if (to === undefined) return `${place.file} has no ${place.symbol}`;
  const from = before === null ? undefined : definitionOf(before.place);
  if (before === null || from === undefined) return null;
  const isDirect = graph.leadsTo(from, to);
  const name = `${before.place.symbol} to ${place.symbol}`;
  switch (link.type) {
    case 'call':
      return isDirect ? null : `${name}: no name in the body of the one leads to the other`;
    case 'wired-here':
      if (!graph.usesName(from, to.name)) return `${name}: the one does not call ${to.name}`;
      return to.owner === null && !isDirect ? null : `${name}: go-to-definition leads there without wiring`;
    case 'wired':
      if (!graph.usesName(from, link.member)) return `${name}: the one does not call ${link.member}`;
      if (isDirect && link.member === to.name) return `${name}: go-to-definition leads there without wiring`;
      return graph.assignmentsOf(link.at.file, to).includes(link.at.line)
        ? null
        : `${name}: ${link.at.file}:${link.at.line} passes or assigns no ${place.symbol}`;
    case 'field': {
      const field = definitionOf(link.at);
      if (field === undefined) return `${name}: ${link.at.file} has no ${link.at.symbol}`;
      return graph.leadsTo(from, field) && graph.leadsTo(to, field) ? null : `${name}: not both use ${field.name}`;
    }
  }
}

/** Symbols that are a hop of some list other than its first. */
const reached = new Set(
  PAGES.flatMap((page) => pathsOf(textOf(page)).flatMap((path) => path.slice(1).map(({ place }) => place.symbol))),
);
/** First hops of the two paths: nothing of the project leads to them. */
const SOURCES: ReadonlySet<string> = new Set(['WebSocketConnection.#splitBeforeWs']);

/** Returns the faults of the steps of a page. */
const pathFaults = (page: string, text: string): string[] =>
  stepsOf(text).flatMap((step) => {
    const { symbol } = step.hop.place;
    const isLoose = step.before === null && !reached.has(symbol) && !SOURCES.has(symbol);
    const fault = isLoose ? `${symbol} begins a list, and no other list leads to it` : stepFault(step);
    return fault === null ? [] : [`${page}:${step.hop.line} ${fault}`];
  });

/** The files and folders that a page names, set as code. */
const isPath = (text: string): boolean => /^[\w.@/{}-]+(?:\.(?:ts|js|yaml|md|json)|\/)$/.test(text);

const isThere = (path: string, page: string): boolean =>
  [path, posix.join(posix.dirname(page), path)].some((each) => existsSync(join(ROOT, each)));

describe.each(PAGES)('%s', (page) => {
  it('has the line of every place', async () => {
    await expect(relined(textOf(page))).toMatchFileSnapshot(join(ROOT, page));
  });

  it('leads from hop to hop as an editor does', () => {
    expect(pathFaults(page, relined(textOf(page)))).toEqual([]);
  });

  it('names files and symbols that exist', () => {
    const text = textOf(page);
    const paths = pageOf(page, text).words.filter((word) => isPath(word.text) && !isThere(word.text, page));
    const symbols = mentionsOf(text).filter(({ file, symbol }) => graph.definitionsOf(file, symbol).length === 0);
    expect([
      ...paths.map(({ line, text: path }) => `${page}:${line} ${path}`),
      ...symbols.map(({ line, file, symbol }) => `${page}:${line} ${symbol} in ${file}`),
    ]).toEqual([]);
  });
});

describe('the map', () => {
  it('has the layers in their order, and a row for each', () => {
    const text = relined(textOf(MAP));
    expect(text).toContain(`\n${LAYER_ORDER}\n`);
    const isInTable = (layer: string): boolean => new RegExp(`^\\| .*\`${layer}(?:/|\\.ts)\``, 'm').test(text);
    expect(LAYERS.flat().filter((layer) => !isInTable(layer))).toEqual([]);
  });

  it('fits on a screen or two, and links to every page on the code', () => {
    const text = textOf(MAP);
    expect(text.split('\n').length).toBeLessThan(80);
    expect(PAGES.filter((page) => page !== MAP && !text.includes(`(../${page})`))).toEqual([]);
  });
});

describe('the paths', () => {
  const listsOf = (page: string): string[][] =>
    pathsOf(textOf(`docs/internals/${page}`)).map((path) => path.map(({ place }) => place.symbol));

  it('lead from the socket to a strategy, from its intents to the socket, and from the answer to the state', () => {
    const frame = listsOf('life-of-a-frame.md').flat();
    expect([frame[0], frame.at(-1)]).toEqual(['WebSocketConnection.#splitBeforeWs', 'onBook']);
    const order = listsOf('life-of-an-order.md');
    expect(order[0]?.[0]).toBe('BookListeners.#call');
    const ends = order.map((symbols) => symbols.at(-1));
    expect(ends).toEqual(expect.arrayContaining(['DirectConnection.send', 'Orders.applyChange']));
  });
});

describe('the checker', () => {
  const OTHER = '`src/execution/orders/planner.ts:1 Planner.enqueue`';
  const planted = (...items: readonly string[]): string[] =>
    pathFaults('page.md', items.map((item, index) => `${index + 1}. ${item}\n`).join('')).map((fault) =>
      fault.replace(/^page\.md:\d+ /, ''),
    );

  it('finds a hop that the one before does not lead to', () => {
    expect(planted(OTHER, '`src/engine.ts:1 Engine.step`')).toEqual([
      'Planner.enqueue to Engine.step: no name in the body of the one leads to the other',
    ]);
  });

  it('finds a symbol that is not there', () => {
    expect(planted(OTHER, '`src/engine.ts:1 Engine.stepTwice`')).toEqual(['src/engine.ts has no Engine.stepTwice']);
  });

  it('finds a place that wires nothing, and a wiring that is not needed', () => {
    const sent = '`src/runtime/session/command-executor.ts:1 CommandExecutor.#send`';
    const gateway = '`src/venues/trade-api/rest/trade-api-gateway.ts:1 TradeApiGateway.send`';
    expect(planted(sent, gateway)).toHaveLength(1);
    expect(planted(sent, `${gateway}, wired in \`src/engine.ts:1\` as \`send\``)).toEqual([
      'CommandExecutor.#send to TradeApiGateway.send: src/engine.ts:1 passes or assigns no TradeApiGateway.send',
    ]);
    const loop = 'src/runtime/session/live-loop.ts:1';
    const handle = `\`${loop} LiveLoop.#handle\``;
    expect(planted(`\`${loop} LiveLoop.acceptInput\``, `${handle}, wired in \`${loop}\` as \`#handle\``)).toEqual([
      'LiveLoop.acceptInput to LiveLoop.#handle: go-to-definition leads there without wiring',
    ]);
  });

  it('finds a list that no other leads to', () => {
    expect(planted('`src/engine.ts:1 Engine.computeWakeAt`')).toEqual([
      'Engine.computeWakeAt begins a list, and no other list leads to it',
    ]);
  });
});
