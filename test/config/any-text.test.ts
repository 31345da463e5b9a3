// Any text is accepted as a config or refused with its faults: nothing else is ever thrown.
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { botConfigSchema } from '../../src/config/bot-config.ts';
import { exchangeConfigSchema } from '../../src/config/exchange-config.ts';
import { faultsSchema } from '../../src/config/fault-config.ts';
import { ConfigError } from '../../src/base/config-error.ts';
import { parseYaml } from '../../src/config/yaml.ts';
import { runCount } from '../support/runner/property-runs.ts';

const SCHEMAS = {
  'demo.yaml': botConfigSchema,
  'exchange.yaml': exchangeConfigSchema,
  'churn.yaml': exchangeConfigSchema,
  'faults.yaml': faultsSchema,
} as const;
const NAMES = Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[];
const shipped = (name: string): string => readFileSync(new URL(`../../config/${name}`, import.meta.url), 'utf8');

/** Parses, and returns the faults; anything else that is thrown fails the test. */
function faultsOf(name: keyof typeof SCHEMAS, text: string): readonly string[] {
  try {
    parseYaml(text, { file: name, schema: SCHEMAS[name] });
    return [];
  } catch (fault) {
    // A fault may have several lines: missing limits are listed.
    if (fault instanceof ConfigError) return fault.message.split(/\n(?=\w+\.yaml:)/);
    throw fault;
  }
}

/** Text with a meaning in YAML, and values that no field expects. */
const piece = fc.oneof(
  fc.constantFrom(
    '&a',
    '*a',
    '<<: *a',
    '!!set',
    '? ',
    '- ',
    ': ',
    '|',
    '>',
    '{',
    '}',
    '[',
    ']',
    '#',
    '"',
    "'",
    '\t',
    '\n',
  ),
  fc.constantFrom('null', '~', '.inf', '-.inf', '.nan', '0x10', '1e999', '9'.repeat(40), '__proto__: 1', '---', '%TAG'),
  fc.string({ maxLength: 6, unit: 'binary' }),
);
const edit = fc.record({ at: fc.nat(), removed: fc.nat({ max: 12 }), inserted: piece });

describe.each(NAMES)('a config with any content: %s', (name) => {
  it('a config with any content is accepted or refused with a place, an expectation and a finding', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
        let text = shipped(name);
        for (const { at, removed, inserted } of edits) {
          const from = at % (text.length + 1);
          text = text.slice(0, from) + inserted + text.slice(from + removed);
        }
        for (const line of faultsOf(name, text)) expect(line).toMatch(/^\w+\.yaml:\d+:\d+: .*expected .+, found /su);
      }),
      { numRuns: runCount(400) },
    );
  });
});
