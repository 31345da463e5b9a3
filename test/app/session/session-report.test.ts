// The page of a live or paper session: an unwritable file is refused at the start, and the page is complete at the end.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionReport, type SessionReportOptions } from '../../../src/app/session/session-report.ts';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import { dollars } from '../../../src/domain/units.ts';
import { Engine } from '../../../src/engine.ts';
import { tapeEngineOptions } from '../../bench/tape-engine.ts';
import { BEGIN, after, tickerTable } from '../../support/engine/builders.ts';
import { UsageError } from '../../../src/app/usage-error.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-report-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function optionsFor(file: string, over: Partial<SessionReportOptions> = {}): SessionReportOptions {
  const engine = new Engine(tapeEngineOptions({ tickers: tickerTable(1), observe: () => undefined }, []));
  engine.state.now = BEGIN;
  engine.state.portfolio.setOpeningCash(dollars(1000));
  const config = readBotConfig('config/demo.yaml');
  return { file, engine, config, isPaper: false, seed: 1, now: () => after(5000), ...over };
}

describe('SessionReport', () => {
  it('writes a page of the session', () => {
    const file = join(folder, 'reports', 'session.html');
    const report = new SessionReport(optionsFor(file));
    report.onNotice({ type: 'phase', phase: 'trading', why: 'test' });
    report.close();
    const page = readFileSync(file, 'utf8');
    expect(page).toContain('Nothing was traded.');
    expect(page).toContain('quoter, arbitrage <span class="badge">live</span>');
    expect(page).toContain('from $1,000.00 to $1,000.00');
    expect(page).not.toContain('decisions ');
  });

  it('refuses an unwritable file at the start, and names it', () => {
    writeFileSync(join(folder, 'a-file'), '');
    const file = join(folder, 'a-file', 'session.html');
    expect(() => new SessionReport(optionsFor(file))).toThrow(UsageError);
    expect(() => new SessionReport(optionsFor(file))).toThrow(file);
  });

  it('keeps the previous session’s page until it writes its own', () => {
    const file = join(folder, 'session.html');
    writeFileSync(file, 'the page before');
    const report = new SessionReport(optionsFor(file));
    expect(readFileSync(file, 'utf8')).toBe('the page before');
    report.close();
    expect(readFileSync(file, 'utf8')).toContain('The session never became ready to trade');
  });

  it('is marked as paper, with the models of the simulated venue, in a paper session', () => {
    const file = join(folder, 'session.html');
    const config = readBotConfig('config/paper.yaml');
    new SessionReport(optionsFor(file, { config, isPaper: true })).close();
    const page = readFileSync(file, 'utf8');
    expect(page).toContain('<span class="badge">paper</span>');
    expect(page).toContain('pessimistic');
  });
});
