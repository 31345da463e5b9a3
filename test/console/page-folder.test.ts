// The folder of the built page is found from a build and from the sources; without a page the console says so.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { startConsole } from '../../src/console/server/console-run.ts';
import { builtPageFolder } from '../../src/console/server/page-folder.ts';

const [OLD, NEW] = ['0123456789ab', 'ba9876543210'];
let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'presage-page-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const make = (...parts: readonly string[]): string => {
  const folder = join(root, ...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
};

function makePage(...parts: readonly string[]): string {
  const folder = make(...parts);
  writeFileSync(join(folder, 'index.html'), '<p>page</p>');
  return folder;
}

describe('the folder of the page', () => {
  it('is that of the newest build when the program runs from its sources', () => {
    makePage('dist/builds', OLD, 'console');
    const page = makePage('dist/builds', NEW, 'console');
    writeFileSync(join(root, 'dist/builds/newest.json'), JSON.stringify({ id: NEW, inputs: {} }));
    expect(builtPageFolder(make('src/console/server'))).toBe(page);
  });

  it('is that of its own build for a program that was built, though another build is newer', () => {
    const page = makePage('dist/builds', OLD, 'console');
    makePage('dist/builds', NEW, 'console');
    writeFileSync(join(root, 'dist/builds/newest.json'), JSON.stringify({ id: NEW }));
    expect(builtPageFolder(make('dist/builds', OLD, 'src/console/server'))).toBe(page);
  });

  it.each([null, 'not JSON', '{}', JSON.stringify({ id: NEW }), JSON.stringify({ id: '../../..' })])(
    'is not there with newest.json of %j and no page',
    (text) => {
      make('dist/builds', OLD, 'console');
      if (text !== null) writeFileSync(join(root, 'dist/builds/newest.json'), text);
      expect(builtPageFolder(make('src/console/server'))).toBeNull();
    },
  );
});

describe('a console without a page', () => {
  it('serves its API, and says in answers and log that the page is not built', async () => {
    const pageFolder = join(root, 'none');
    const running = await startConsole({ configs: [], folders: [root], listen: '127.0.0.1:0', pageFolder });
    const { server } = running;
    try {
      const answer = await fetch(`${server.url}/`);
      expect([answer.status, await answer.json()]).toMatchObject([
        404,
        { detail: 'the page is not built: run `npm run build`' },
      ]);
      expect(server.hasPage).toBe(false);
    } finally {
      await running.close();
    }
    const log = (): string => readFileSync(join(root, 'console.log'), 'utf8');
    // The log is written asynchronously.
    await vi.waitFor(() => expect(log()).toContain('the page is not built (npm run build)'), { timeout: PATIENCE_MS });
  });
});
