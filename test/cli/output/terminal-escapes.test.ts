// Text for a terminal contains no sequence that it would execute, and JSON keeps the same data.
import * as fc from 'fast-check';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { showDisplay } from '../show/shown-display.ts';
import { rawStream, escapeOutput, escapeText } from '../../../src/cli/output/terminal-escapes.ts';
import type { Ticker } from '../../../src/domain/ids.ts';
import { aSnapshot } from '../../support/sessions/session-snapshot.ts';

const OBEYED = /[^\P{Cc}\n\t]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;

describe('escapeText', () => {
  it.each([
    ['a color', 'a \u001B[31mred\u001B[0m b', 'a \\u001b[31mred\\u001b[0m b'],
    ['a window’s title', '\u001B]0;owned\u0007', '\\u001b]0;owned\\u0007'],
    ['a sequence in one byte', '\u009B2J', '\\u009b2J'],
    ['a carriage return', 'all well\rALL LOST', 'all well\\u000dALL LOST'],
    ['a backspace', 'ab\bc', 'ab\\u0008c'],
    ['writing turned around', 'buy \u202E05', 'buy \\u202e05'],
  ])('writes out %s', (_, text, expected) => expect(escapeText(text)).toBe(expected));

  it('leaves harmless text as it is', () => {
    const text = 'résumé — 5 × 3\n\tçok güzel 日本 👍';
    expect(escapeText(text)).toBe(text);
  });

  it('leaves no executable character, and the same data in JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeText(text)).not.toMatch(OBEYED);
        expect(JSON.parse(escapeText(JSON.stringify({ text })))).toEqual({ text });
      }),
    );
  });
});

/** A stream that collects its output. */
function aStream(): { readonly stream: NodeJS.WriteStream; readonly text: () => string } {
  const parts: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      parts.push(chunk.toString());
      done();
    },
  });
  return { stream: stream as NodeJS.WriteStream, text: () => parts.join('') };
}

describe('a stream with escaped output', () => {
  it('escapes what is written to it, and leaves raw drawing as it is', () => {
    const { stream, text } = aStream();
    escapeOutput(stream);
    stream.write('\u001B[31m');
    rawStream(stream).write('\u001B[H');
    expect(text()).toBe('\\u001b[31m\u001B[H');
  });

  it('is its own raw stream when it is not escaped', () => {
    const { stream } = aStream();
    expect(rawStream(stream)).toBe(stream);
  });
});

describe('the page of a session', () => {
  it('draws with its own sequences, and escapes those of market names and halts', () => {
    const { display: page, writes: written } = showDisplay('page');
    const snapshot = aSnapshot();
    const [market] = snapshot.markets;
    const name = 'M\u001B]0;owned\u0007\nfake row' as Ticker;
    page.showSnapshot({ ...snapshot, markets: [{ ...market!, ticker: name }] });
    const drawn = written.at(-1) ?? '';
    expect(drawn).toContain('M\\u001b]0;owned\\u0007 fake row');
    // The output without the page’s own sequences.
    const own = ['\u001B[H', '\u001B[J', '\u001B[K'];
    expect(own.reduce((rest, sequence) => rest.replaceAll(sequence, ''), drawn)).not.toMatch(OBEYED);
  });
});
