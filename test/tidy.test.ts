// Checks the rules of the project (src/README.md): imports between layers, purity, sizes, conventions, names, folders
// and prose. Every fault is listed with its remedy.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkTree } from './support/tidy/check-tree.ts';
import { formatFault } from './support/tidy/fault.ts';
import { loadedWith } from './support/tidy/loaded-files.ts';
import { parseComments } from './support/tidy/module.ts';
import {
  CLAUSE_OPENERS_MAX,
  VERBLESS_MAX,
  checkProse,
  commentsOf,
  isVerbless,
  opensWithClause,
  paragraphsOf,
} from './support/tidy/prose.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PARTS = ['src', 'strategies', 'backtest', 'test'];

function readTree(): Map<string, string> {
  const files = new Map<string, string>();
  for (const part of PARTS.filter((each) => existsSync(join(ROOT, each))))
    for (const entry of readdirSync(join(ROOT, part), { recursive: true, encoding: 'utf8' })) {
      const path = `${part}/${entry.replaceAll('\\', '/')}`;
      if (/\.tsx?$/.test(path)) files.set(path, readFileSync(join(ROOT, path), 'utf8'));
    }
  return files;
}

/** Reads the pages for people, and the comments of the shipped configs. */
function readPages(): [file: string, text: string][] {
  const isPage = (file: string): boolean => /\.(md|yaml)$/.test(file);
  const inside = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((entry) => `${folder}/${entry}`);
  const files = [...readdirSync(ROOT), ...['docs', 'config', 'src'].flatMap(inside)].filter(isPage);
  return files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]);
}

describe('the project', () => {
  const files = readTree();

  it('has layers to check', () => {
    expect([...files.keys()].filter((file) => file.startsWith('src/')).length).toBeGreaterThan(0);
  });

  it('keeps its rules', () => {
    const faults = checkTree(files).map(formatFault);
    if (faults.length > 0) throw new Error(`${faults.length} broken rules:\n${faults.join('\n')}`);
    expect(faults).toEqual([]);
  });

  it.each([
    'src/cli/backtest-command.ts',
    'src/cli/study/study-runner.ts',
    'src/research/workers/trial-worker.ts',
    'src/certify/certify-worker.ts',
  ])('starts %s without the code of connections, signatures and queues', (entry) => {
    const loaded = [...loadedWith(entry, files)];
    expect(loaded.length).toBeGreaterThan(100);
    const unneeded = /^(?:src\/transport\/(?!backoff)|undici$|ws$|p-queue$|@noble\/|bullmq$|ioredis$|s3mini$)/;
    expect(loaded.filter((name) => unneeded.test(name))).toEqual([]);
  });

  it('inspects a journal without the code of the engine, and replays one without that of configs and reports', () => {
    const inspecting = [...loadedWith('src/cli/journal-command.ts', files)];
    const replaying = [...loadedWith('src/cli/journal/journal-replay.ts', files)];
    expect(inspecting).toContain('src/tape/journal/tape-reader.ts');
    expect(replaying).toContain('src/engine.ts');
    expect(inspecting.filter((name) => /^(?:src\/engine|src\/runtime\/replay\/|esbuild$|yaml$)/.test(name))).toEqual(
      [],
    );
    const unneeded =
      /^(?:yaml$|src\/config\/.*-config\.ts|src\/report\/(?:page|record|statement)\/|src\/transport\/(?!backoff))/;
    expect(replaying.filter((name) => unneeded.test(name))).toEqual([]);
  });

  it('starts a bot without the code of the local exchange, of metrics and of studies', () => {
    const loaded = [...loadedWith('src/cli/run-command.ts', files)];
    expect(loaded.length).toBeGreaterThan(100);
    expect(loaded.filter((name) => /^(?:src\/exchange\/api\/|src\/research\/|prom-client$)/.test(name))).toEqual([]);
  });

  it.each(['halt', 'cancel-all', 'status', 'resume'])('starts %s without the code of strategies', (name) => {
    const loaded = [...loadedWith(`src/cli/${name}-command.ts`, files)];
    expect(loaded.length).toBeGreaterThan(60);
    expect(loaded.filter((each) => /^(?:esbuild$|src\/runtime\/plugins\/strategy-loader\.ts$)/.test(each))).toEqual([]);
  });

  it('uses plain words in its pages', () => {
    const pages = readPages();
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.flatMap(([file, text]) => checkProse(paragraphsOf(file, text))).map(formatFault)).toEqual([]);
  });

  it('has no more comments without a verb, or that open with a relative clause, than it had', () => {
    const comments = [...files].flatMap(([file, text]) => commentsOf(parseComments(file, text)));
    expect(comments.filter(opensWithClause).length).toBeLessThanOrEqual(CLAUSE_OPENERS_MAX);
    expect(comments.filter(isVerbless).length).toBeLessThanOrEqual(VERBLESS_MAX);
  });
});
