// Two writers of one file at the same time, as in two threads that replay a tape without a baked copy.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cents, qty } from '../../../src/domain/units.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { verifyBakedFile } from '../../../src/tape/baked/verify-baked.ts';
import { at, withTape } from '../../support/tapes/random-facts.ts';

it('two writers of one file do not share its part: both finish, and the last one has the name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-'));
  const path = join(folder, 'baked.arrow');
  const [first, second] = [new BakedWriter(path), new BakedWriter(path)];
  const finish = (writer: BakedWriter, rows: number): void => {
    const market = writer.marketNumber('M-0');
    for (let row = 0; row < rows; row++)
      writer.writeSnapshot({ at: at(row), exchangeAt: null, market, bids: [[cents(40), qty(100)]], asks: [] });
    writer.finish({ source: 's', venue: 's', sourceHash: '' });
  };
  try {
    finish(first, 9);
    finish(second, 1);
    verifyBakedFile(path);
    expect(withTape(path, ({ facts }) => facts.counts['snapshot'])).toBe(1);
    expect(readdirSync(folder)).toEqual(['baked.arrow']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a writer of a new file does not replace a file that was made in the meantime', () => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-'));
  const path = join(folder, 'new.arrow');
  const [first, second] = [new BakedWriter(path, { isNew: true }), new BakedWriter(path, { isNew: true })];
  const finish = (writer: BakedWriter, source: string): unknown =>
    writer.finish({ source, venue: 's', sourceHash: '' });
  try {
    finish(first, 'first');
    expect(() => finish(second, 'second')).toThrow(/new.arrow: cannot be written: a file of that name was made/);
    expect(withTape(path, ({ facts }) => facts.source)).toBe('first');
    expect(readdirSync(folder)).toEqual(['new.arrow']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
