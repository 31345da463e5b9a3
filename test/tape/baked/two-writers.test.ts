// Two writers of one file, at the same time or after the other has died, as in two threads that replay a tape without a baked copy.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { cents, qty } from '../../../src/domain/units.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { temporaryName } from '../../../src/tape/baked/new-file.ts';
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

it('a writer removes what writers of its file left that died, and no other file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-'));
  const path = join(folder, 'tape.arrow');
  const gone = 2 ** 22 + 1;
  const ofGone = (name: string): string => basename(name).replace(`.${process.pid}-`, `.${gone}-`);
  const left = [ofGone(temporaryName(path, 'new')), ofGone(temporaryName(path, 'part')), `tape.arrow.${gone}.new`];
  const others = [
    basename(temporaryName(path, 'new')),
    ofGone(temporaryName(join(folder, 'other.arrow'), 'new')),
    `tape.arrow.${gone}-00000000ffffffff.new`,
    `tape.arrow.${gone}.new.csv`,
  ];
  try {
    for (const name of [...left, ...others]) writeFileSync(join(folder, name), 'half');
    new BakedWriter(path, { isNew: true }).finish({ source: 's', venue: 's', sourceHash: '' });
    expect(readdirSync(folder).sort()).toEqual(['tape.arrow', ...others].sort());
  } finally {
    rmSync(folder, { recursive: true });
  }
});
