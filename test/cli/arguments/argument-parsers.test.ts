// Parsers of option values.
import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  cashArgument,
  durationArgument,
  namesArgument,
  portArgument,
  seedArgument,
  wholeArgument,
} from '../../../src/cli/arguments/argument-parsers.ts';
import { momentArgument } from '../../../src/cli/arguments/moment-argument.ts';

describe('an option value', () => {
  it.each([
    ['30s', 30_000],
    ['250ms', 250],
    ['1.5h', 5_400_000],
    ['0.5ms', 1],
    ['30d', 2_592_000_000],
  ])('is parsed as a duration: %s', (text, milliseconds) => {
    expect(durationArgument(text)).toBe(milliseconds);
  });

  it.each(['', '30', '-1s', '30 s', '1e3s', 'soon', '999999999d'])('is refused as a duration: "%s"', (text) => {
    expect(() => durationArgument(text)).toThrow(InvalidArgumentError);
    expect(() => durationArgument(text)).toThrow(
      'Expected a duration such as 250ms, 30s, 5m, 2h or 1d, at most 3650d.',
    );
  });

  it.each([
    ['0', 0],
    ['8790', 8790],
    ['65535', 65_535],
  ])('is parsed as a port: %s', (text, port) => {
    expect(portArgument(text)).toBe(port);
  });

  it.each(['', '-1', '65536', '80.5', '0x50', 'http', '123456'])('is refused as a port: "%s"', (text) => {
    expect(() => portArgument(text)).toThrow(InvalidArgumentError);
    expect(() => portArgument(text)).toThrow('Expected a port from 0 to 65535.');
  });

  it.each([
    ['2026-11-21T07:45:00Z', 1_795_247_100_000_000],
    ['2026-11-21T07:45:00.250006Z', 1_795_247_100_250_006],
    ['2026-11-21T07:45:00.2500Z', 1_795_247_100_250_000],
  ])('is parsed as a moment, to the microsecond: %s', (text, at) => {
    expect(momentArgument(text)).toBe(at);
  });

  it.each([
    [() => momentArgument('yesterday'), 'Expected a moment such as 2026-12-31T23:00:00Z, on a day that exists'],
    [
      () => momentArgument('2026-02-30T00:00:00Z'),
      'Expected a moment such as 2026-12-31T23:00:00Z, on a day that exists',
    ],
    [() => seedArgument('-1'), 'Expected a whole number from 0 to 4294967295.'],
    [() => seedArgument('4294967296'), 'Expected a whole number from 0 to 4294967295.'],
    [() => wholeArgument(1)('1234567'), 'Expected a whole number from 1 to 999999.'],
    [() => cashArgument('much'), 'Expected dollars such as 1000 or 0.25.'],
    [() => namesArgument('RAIN,,WIND'), 'Expected tickers with commas between, found "".'],
  ])('is refused with what was expected (%#)', (read, message) => {
    expect(read).toThrow(InvalidArgumentError);
    expect(read).toThrow(message);
  });

  it('is parsed as a seed, dollars, or names', () => {
    expect(seedArgument('4294967295')).toBe(4_294_967_295);
    expect(cashArgument('25.5')).toBe(25_500_000);
    expect(namesArgument('RAIN, WIND')).toEqual(['RAIN', 'WIND']);
  });
});
