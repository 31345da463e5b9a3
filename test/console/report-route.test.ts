// A session's report over HTTP: the page of `presage journal report`, under a policy that lets it only draw; and the words
// of a problem, as JSON for a program and as a page for a browser.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { version } from '../../src/app/package-version.ts';
import { must } from '../../src/base/assert.ts';
import { type RunningConsole, startConsole } from '../../src/console/server/console-run.ts';
import { makeSecret } from '../../src/console/security/token-file.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { MAIN } from '../e2e/presage.ts';
import { StagedSession } from '../why/staged-session.ts';

const token = makeSecret();
/** Inside the project, as a strategy's file is found from the journal's folder. */
let folder = '';
let running: RunningConsole | null = null;
beforeEach(() => {
  mkdirSync('var', { recursive: true });
  folder = mkdtempSync(join(process.cwd(), 'var', 'report-route-'));
  // Other processes of this machine make reports, too.
  vi.stubEnv('TMPDIR', folder);
  writeFileSync(join(folder, 'console.token'), `ada reader ${token}\n`, { mode: 0o600 });
});
afterEach(async () => {
  await running?.close();
  running = null;
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the journal of a session `s` that trades for three seconds. */
async function trade(): Promise<void> {
  const file = join(folder, 'maker.ts');
  writeFileSync(file, `export { stagedMaker as default } from '${join(process.cwd(), 'test/why/staged-maker.ts')}';\n`);
  const session = await StagedSession.open({ storage: fileStorage(join(folder, 'journal')), version, file });
  session.startTrading().run(3000);
  await session.close();
}

/** Starts a console, and returns a function that reads the report of a session. */
async function start(): Promise<(session: string, headers?: Record<string, string>) => Promise<Response>> {
  const program = [process.execPath, MAIN] as const;
  running = await startConsole({ configs: [], folders: [folder], listen: '127.0.0.1:0', program });
  const { url } = running.server;
  const { name } = must(running.bots[0], 'a bot');
  return (session, headers = { Authorization: `Bearer ${token}` }) =>
    fetch(`${url}/api/v1/bots/${name}/sessions/${session}/report`, { headers });
}

const reportFolders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('presage-report-'));

describe('GET /bots/{b}/sessions/{s}/report', () => {
  it('serves the page in a sandbox that allows its own scripts alone', async () => {
    await trade();
    const before = reportFolders();
    const answer = await (await start())('s');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const page = await answer.text();
    expect(page).toContain('Where the profit came from');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-/);
    expect(policy).toMatch(/sandbox allow-scripts$/);
    expect(policy).toContain("frame-ancestors 'none'");
    for (const never of ['unsafe', 'connect-src', 'allow-same-origin', "'self'"]) expect(policy).not.toContain(never);
    // The policy inside the page and that of the answer name the same scripts.
    expect(page).toContain(must(/script-src [^;]+/.exec(policy)?.[0], 'scripts').replaceAll("'", '&#39;'));
    expect(reportFolders()).toEqual(before);
  });

  it('says in words why there is none, without a path', async () => {
    await trade();
    const read = await start();
    const unknown = await read('other');
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ detail: 'the journal of this bot has no session of this name' });
    const asPage = await read('other', { Authorization: `Bearer ${token}`, Accept: 'text/html,*/*' });
    expect([asPage.status, asPage.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await asPage.text()).toContain('has no session of this name');
    expect((await read('s', {})).status).toBe(401);
    for (const option of ['--html=x', '-x', 'a%20b']) expect((await read(option)).status).toBe(422);
    expect((await read('..%2Fother')).status).toBe(400);
    writeFileSync(join(folder, 'maker.ts'), 'export default null;\n');
    const changed = await read('s');
    const text = await changed.text();
    expect([changed.status, text.includes(folder)]).toEqual([503, false]);
    expect(text).toContain('the console’s log says why');
  });
});
