// The built page: small, whole, packed beside each file, and without anything from elsewhere.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { builtPage } from './chromium.ts';

/** All code and styles of the page, packed by gzip. Bytes. */
const GZIP_BYTES_MAX = 120_000;

const folder = builtPage();
const names = readdirSync(folder);
const plain = names.filter((name) => /\.(html|js|css)$/.test(name));
const read = (name: string): Buffer => readFileSync(join(folder, name));

describe('the built page', () => {
  it('is at most 120 kB packed by gzip', () => {
    const sizes = names.filter((name) => name.endsWith('.gz')).map((name) => read(name).length);
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(GZIP_BYTES_MAX);
  });

  it('has each file packed by brotli and gzip, with the same content', () => {
    expect(names.toSorted()).toEqual(plain.flatMap((name) => [name, `${name}.br`, `${name}.gz`]).toSorted());
    for (const name of plain) {
      expect(brotliDecompressSync(read(`${name}.br`)).equals(read(name))).toBe(true);
      expect(gunzipSync(read(`${name}.gz`)).equals(read(name))).toBe(true);
    }
  });

  it('has a shell that names files of the page alone, and no script or style in its text', () => {
    const shell = read('index.html').toString();
    const named = [...shell.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, name = '']) => name);
    expect(
      named
        .filter((name) => name !== 'data:,')
        .map((name) => name.slice(1))
        .toSorted(),
    ).toEqual(plain.filter((name) => name.startsWith('page')).toSorted());
    expect(shell).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/);
  });

  it('names no other origin in code or styles', () => {
    const code = plain.filter((name) => !name.endsWith('.html')).map((name) => read(name).toString());
    const origins = code.flatMap((text) => text.match(/https?:\/\/[\w.-]+/g) ?? []);
    // Names of the languages of drawings and formulas: they are compared, never loaded.
    expect(new Set(origins)).toEqual(new Set(['http://www.w3.org']));
    expect(code.join('')).not.toMatch(/@import|@font-face|\beval\(|new Function\(/);
  });

  it('loads the chart only with a market', () => {
    const main = plain.find((name) => name.startsWith('page-main')) ?? '';
    expect(read(main).toString()).not.toContain('u-over');
    expect(plain.some((name) => name.startsWith('market-view') && read(name).toString().includes('u-over'))).toBe(true);
  });
});
