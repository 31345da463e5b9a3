// The page of a report is written whole or not at all.
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { replaceText } from '../../src/app/report-page.ts';

/** Writes a part of the text, as to a disk that is full. */
function writeToFullDisk(file: fs.PathOrFileDescriptor): void {
  fs.writeFileSync(file, 'fou');
  throw new Error('ENOSPC: no space left on device, write');
}

const root = fs.mkdtempSync(join(tmpdir(), 'presage-page-write-'));
afterAll(() => fs.rmSync(root, { recursive: true }));

describe('the text of a page', () => {
  it('replaces an earlier one, also behind a link', () => {
    const [page, link] = [join(root, 'page.html'), join(root, 'link.html')];
    replaceText(page, 'first');
    fs.symlinkSync(page, link);
    replaceText(link, 'second');
    expect(fs.readFileSync(page, 'utf8')).toBe('second');
    expect(fs.readlinkSync(link)).toBe(page);
    expect(fs.readdirSync(root).toSorted()).toEqual(['link.html', 'page.html']);
    fs.rmSync(page);
    replaceText(link, 'third');
    expect(fs.readFileSync(page, 'utf8')).toBe('third');
  });

  it('leaves the earlier one, and nothing else, when the disk is full', () => {
    expect(() => replaceText(join(root, 'page.html'), 'fourth', writeToFullDisk)).toThrow('ENOSPC');
    expect(() => replaceText(join(root, 'new.html'), 'fourth', writeToFullDisk)).toThrow('ENOSPC');
    expect(fs.readFileSync(join(root, 'page.html'), 'utf8')).toBe('third');
    expect(fs.readdirSync(root).toSorted()).toEqual(['link.html', 'page.html']);
  });

  it('goes into a device or a pipe as it is', () => {
    replaceText('/dev/null', 'text');
    expect(fs.statSync('/dev/null').isFile()).toBe(false);
  });
});
