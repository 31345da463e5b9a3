// The report of `presage tape merge`, and a signal to commands that write files.
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { exportCommand, mergeCommand, sliceCommand } from '../../../src/cli/tape/tape-files.ts';
import { cents, qty } from '../../../src/domain/units.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { aMarket } from '../../support/engine/builders.ts';
import { at } from '../../support/tapes/random-facts.ts';

async function printed(act: () => Promise<unknown>): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await act();
    return write.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    write.mockRestore();
    process.exitCode = undefined;
  }
}

describe('presage tape merge', () => {
  it('counts repeated descriptions of a tape, so that every row is accounted for', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-'));
    const [piece, out] = [join(folder, 'piece.arrow'), join(folder, 'merged.arrow')];
    const writer = new BakedWriter(piece);
    const market = writer.marketNumber('M-0');
    writer.writeOther({ kind: 'market', at: at(0), market: aMarket(0) });
    writer.writeSnapshot({ at: at(1), exchangeAt: null, market, bids: [[cents(40), qty(100)]], asks: [] });
    writer.writeOther({ kind: 'market', at: at(2), market: aMarket(0) });
    writer.finish({ source: 's', venue: 's', sourceHash: '' });
    const text = await printed(() => mergeCommand().parseAsync([piece, '--out', out], { from: 'user' }));
    rmSync(folder, { recursive: true });
    const lines = text.split('\n');
    expect(lines.find((line) => line.startsWith('tape '))).toMatch(/^tape +read +taken +repeated +left out$/);
    expect(lines.find((line) => line.includes('piece.arrow'))).toMatch(/ 3 +2 +1 +0$/);
    expect(lines).toContain('a snapshot counts once here, with all of its levels; repeated descriptions are left out');
  });
});

describe('presage tape merge of a tape that is named twice', () => {
  it('refuses it, also under another name, and makes no tape', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-'));
    const [tape, link, out] = ['tape.arrow', 'link.arrow', 'out.arrow'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const writer = new BakedWriter(tape);
    const market = writer.marketNumber('M-0');
    writer.writeSnapshot({ at: at(1), exchangeAt: null, market, bids: [], asks: [] });
    writer.finish({ source: 's', venue: 's', sourceHash: '' });
    symlinkSync(tape, link);
    const work = printed(() => mergeCommand().parseAsync([tape, link, '--out', out], { from: 'user' }));
    await expect(work).rejects.toThrow(`${link}: expected each tape once, found it a second time, after ${tape}`);
    expect(readdirSync(folder).sort()).toEqual(['link.arrow', 'tape.arrow']);
    rmSync(folder, { recursive: true });
  });

  it('refuses a folder beside its own baked copy', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-'));
    const baked = join(folder, 'baked.arrow');
    writeFileSync(baked, '');
    const work = mergeCommand().parseAsync([folder, baked, '--out', `${folder}.arrow`], { from: 'user' });
    await expect(work).rejects.toThrow(`${baked}: expected each tape once, found it a second time, after ${folder}`);
    rmSync(folder, { recursive: true });
  });
});

describe('presage tape export', () => {
  it.each([
    ['after the tape', ['--from', '2099-01-01T00:00:00Z']],
    ['before the tape', ['--to', '1999-01-01T00:00:00Z']],
  ])('refuses a range %s, and makes no empty table', async (_, range) => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-'));
    const tape = join(folder, 'tape.arrow');
    const writer = new BakedWriter(tape);
    const market = writer.marketNumber('M-0');
    writer.writeSnapshot({ at: at(1), exchangeAt: null, market, bids: [], asks: [] });
    writer.finish({ source: 's', venue: 's', sourceHash: '' });
    const table = join(folder, 'table.csv');
    const work = printed(() => exportCommand().parseAsync([tape, '--out', table, ...range], { from: 'user' }));
    await expect(work).rejects.toThrow(/expected a range within .*, found one that holds nothing of it/);
    expect(readdirSync(folder)).toEqual(['tape.arrow']);
    rmSync(folder, { recursive: true });
  });
});

describe('a signal', () => {
  const commands = { csv: exportCommand, parquet: exportCommand, slice: sliceCommand, merge: mergeCommand };
  it.each(['csv', 'parquet', 'slice', 'merge'] as const)('stops a long %s, which leaves nothing', async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-'));
    const tape = join(folder, 'tape.arrow');
    const writer = new BakedWriter(tape);
    const market = writer.marketNumber('M-0');
    for (let row = 0; row < 200_000; row++)
      writer.writeSnapshot({ at: at(row), exchangeAt: null, market, bids: [], asks: [] });
    writer.finish({ source: 's', venue: 's', sourceHash: '' });
    const complaint = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const work = commands[name]().parseAsync([tape, '--out', join(folder, `new.${name}`)], { from: 'user' });
    process.emit('SIGINT', 'SIGINT');
    await work;
    const complaints = complaint.mock.calls.map(([text]) => String(text)).join('');
    complaint.mockRestore();
    const left = readdirSync(folder);
    rmSync(folder, { recursive: true });
    expect(complaints).toContain('presage: stopped by SIGINT: nothing was written\n');
    expect(process.exitCode).toBe(1);
    process.exitCode = undefined;
    expect(left).toEqual(['tape.arrow']);
  });
});
