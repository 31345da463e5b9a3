// The report of `presage tape merge`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { mergeCommand } from '../../../src/cli/tape/tape-files.ts';
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
