// Names of trials: canonical JSON by the published vectors of RFC 8785, and what changes a name.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trialHash } from '../../../src/research/study/trial-identity.ts';
import { canonicalJson } from '../../../src/tape/format/canonical-json.ts';

/** RFC 8785, appendix B: the bits of a number, and its text. */
const NUMBERS: readonly (readonly [bits: string, text: string])[] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

describe('canonical JSON', () => {
  it.each(NUMBERS)('writes the number with the bits %s as %s', (bits, text) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  it('writes the example of section 3.2.2', () => {
    const value: unknown = JSON.parse(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    );
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('sorts names by their code units, as section 3.2.3 does', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const text = canonicalJson(Object.fromEntries(names.map((name) => [name, 0])));
    expect(text).toBe(`{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`);
  });
});

const TRIAL = { strategy: 'a', params: { x: 1, y: 0.1 + 0.2 }, tape: 'b', setup: 'c', engine: 'd', seed: 7 };

describe('the name of a trial', () => {
  it('is a fixed hash of its content', () => {
    expect(trialHash(TRIAL)).toMatchInlineSnapshot(
      `"4677c1d208e36eac47d2c757b10d6479aaee69c9d4e9c84e7b3fdeccfaaf0a51"`,
    );
  });

  it('does not depend on the sequence of its members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.double({ noNaN: true })), (params) => {
        const reversed = Object.fromEntries(Object.entries(params).toReversed());
        expect(trialHash({ ...TRIAL, params: reversed })).toBe(trialHash({ ...TRIAL, params }));
      }),
    );
  });

  it.each(Object.keys(TRIAL))('changes with %s', (member) => {
    expect(trialHash({ ...TRIAL, [member]: member === 'seed' ? 8 : 'other' })).not.toBe(trialHash(TRIAL));
  });
});
