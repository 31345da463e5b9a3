// Plants a new kind of event of every nature, and a new kind of row, in a copy of the sources. Expects the compiler or
// the linter to name the new kind in every place that must decide about it. Must never change the sources themselves.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVENT_NATURES, type EventNature } from '../../src/domain/event-kinds.ts';

const NATURES: readonly EventNature[] = [...new Set(Object.values(EVENT_NATURES))];

/** The natures of the events that each place decides about, and `row` where it decides about rows of a tape. */
const PLACES: Readonly<Record<string, readonly (EventNature | 'row')[]>> = {
  // The state, and the watches and readers of the engine.
  'src/state/state.ts': ['answer', 'fact', 'feed', 'session'],
  'src/state/account/order-events.ts': ['account'],
  'src/execution/feed/feed-watch.ts': ['account', 'feed', 'session'],
  'src/execution/session/venue-reader.ts': ['answer'],
  // The simulated venue, and that of a paper session.
  'src/venues/simulated/simulator.ts': ['fact'],
  'src/venues/simulated/feed/event-delivery.ts': ['fact'],
  'src/runtime/paper/paper-venue.ts': ['book', 'feed'],
  // State that a session saves and the next one reads.
  'src/runtime/session/public-recorder.ts': ['session'],
  'src/runtime/session/cancel-sweep.ts': ['answer'],
  'src/runtime/saved/unresolved-orders.ts': ['account'],
  // Tapes: their public part, their state, their rows, and their imports.
  'src/tape/baked/stated-market.ts': ['fact'],
  'src/tape/tools/public-rows.ts': ['book'],
  'src/tape/tools/tape-state.ts': ['fact'],
  'src/tape/tools/row-facts.ts': ['fact', 'row'],
  'src/tape/tools/merge-tapes.ts': ['fact'],
  'src/tape/tools/merged-markets.ts': ['fact'],
  'src/tape/import/market-survey.ts': ['book', 'fact'],
  'src/tape/import/books/book-coverage.ts': ['book', 'fact'],
  'src/tape/import/captures/capture-decoder.ts': ['book', 'fact'],
  'src/tape/import/rows/row-sink.ts': ['book', 'fact'],
  // The rows of a backtest, on the venue's side and on the bot's, and the explanation of an order.
  'backtest/venue-side.ts': ['row'],
  'backtest/bot-side.ts': ['row'],
  'backtest/order-explanation.ts': ['account'],
};

/** The value of the planted kind of row, by which the linter names it. */
const ROW_VALUE = 99;

const tree = mkdtempSync(join(tmpdir(), 'presage-planted-'));
afterAll(() => rmSync(tree, { recursive: true, force: true }));

function edit(file: string, before: string, after: string): void {
  const path = join(tree, file);
  const text = readFileSync(path, 'utf8');
  expect(text.split(before)).toHaveLength(2);
  writeFileSync(path, text.replace(before, after));
}

interface Finding {
  readonly filename: string;
  readonly message: string;
}

/** The findings of compiler and linter in these files of the copy. */
const findingsIn = (files: readonly string[]): Promise<readonly Finding[]> =>
  new Promise((done, fail) => {
    const oxlint = resolve('node_modules/oxlint/bin/oxlint');
    const args = [oxlint, '--type-aware', '--type-check', '--format', 'json', ...files];
    execFile(process.execPath, args, { cwd: tree, maxBuffer: 2 ** 26 }, (_fault, output) => {
      try {
        done((JSON.parse(output) as { readonly diagnostics: readonly Finding[] }).diagnostics);
      } catch {
        fail(new Error(`oxlint printed no findings: ${output}`));
      }
    });
  });

beforeAll(() => {
  for (const part of ['src', 'backtest', 'package.json', 'tsconfig.json', '.oxlintrc.json'])
    cpSync(part, join(tree, part), { recursive: true });
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  const kinds = NATURES.map((nature) => `{ readonly kind: 'planted-${nature}'; readonly at: Micros }`);
  edit('src/domain/event.ts', 'export type EngineEvent =', `export type EngineEvent = ${kinds.join(' | ')}`);
});

it('a new kind of event does not compile without a nature, and then nowhere that must decide about it', async () => {
  const faults = await findingsIn(['src/domain']);
  expect(new Set(faults.map(({ filename }) => filename))).toEqual(new Set(['src/domain/event-kinds.ts']));
  expect(faults.some(({ message }) => message.includes('planted-'))).toBe(true);

  const rows = NATURES.map((nature) => `'planted-${nature}': '${nature}',`);
  edit('src/domain/event-kinds.ts', 'EVENT_NATURES = {', `EVENT_NATURES = { ${rows.join(' ')}`);
  edit('src/tape/baked/tape-rows.ts', 'RowKind = {', `RowKind = { planted: ${ROW_VALUE},`);
  const findings = await findingsIn(Object.keys(PLACES));
  const named = (file: string): readonly string[] => {
    const text = findings.flatMap(({ filename, message }) => (filename === file ? [message] : [])).join('\n');
    const natures = NATURES.filter((nature) => text.includes(`planted-${nature}`));
    return [...natures, ...(new RegExp(`\\b${ROW_VALUE}\\b`).test(text) ? ['row'] : [])].toSorted();
  };
  expect(Object.fromEntries(Object.keys(PLACES).map((file) => [file, named(file)]))).toEqual(PLACES);
});
