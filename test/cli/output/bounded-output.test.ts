// Output to a reader that may not read.
import { describe, expect, it } from 'vitest';
import { boundedWrite } from '../../../src/cli/output/bounded-output.ts';

const MEBIBYTE = 1024 * 1024;

/** A pipe that is read only on demand. */
class Pipe {
  readonly texts: string[] = [];
  writableLength = 0;

  write(text: string): void {
    this.texts.push(text);
    this.writableLength += text.length;
  }

  read(bytes: number): void {
    this.writableLength = Math.max(0, this.writableLength - bytes);
  }
}

const LINE = `${'x'.repeat(MEBIBYTE - 1)}\n`;

describe('boundedWrite', () => {
  it('passes text unchanged to a reader that reads', () => {
    const pipe = new Pipe();
    const write = boundedWrite(pipe, (dropped) => `${dropped}`);
    for (let line = 0; line < 100; line++) {
      write(LINE);
      pipe.read(MEBIBYTE);
    }
    expect(pipe.texts).toEqual(Array.from({ length: 100 }, () => LINE));
  });

  it('bounds what waits for a slow reader, and writes the gap once there is enough room', () => {
    const pipe = new Pipe();
    const write = boundedWrite(pipe, (dropped) => `${dropped} dropped\n`);
    for (let line = 0; line < 1000; line++) write(LINE);
    expect(pipe.writableLength).toBeLessThanOrEqual(17 * MEBIBYTE);
    const before = pipe.texts.length;
    pipe.read(2 * MEBIBYTE);
    write(LINE);
    expect(pipe.texts.length).toBe(before);
    pipe.read(10 * MEBIBYTE);
    write('again\n');
    expect(pipe.texts.slice(before)).toEqual([`${1001 - before} dropped\n`, 'again\n']);
    write('and on\n');
    expect(pipe.texts.at(-1)).toBe('and on\n');
  });
});
