// The command that the page names in place of a control: a person can type it as it is, but for the words in capitals.
import { expect, it } from 'vitest';
import { terminalLine } from '../../../src/console/page/format/terminal-line.ts';

it.each([
  ['halt', 'account', false, 'presage halt --config FILE'],
  ['halt', 'strategy quoter', true, 'presage halt --config FILE --paper --scope strategy=quoter'],
  ['cancel-all', 'market RAIN-OSLO T0', false, `presage cancel-all --config FILE --scope 'market=RAIN-OSLO T0'`],
  ['resume', 'strategy quoter', false, 'presage resume --config FILE --scope strategy=quoter --reason TEXT'],
  ['flatten', 'account', false, 'presage flatten --config FILE'],
  [
    'override',
    'strategy quoter',
    false,
    'presage override --config FILE --strategy quoter --limit NAME --value VALUE --for 15m --reason TEXT',
  ],
] as const)('of %s of %s', (kind, scope, isPaper, line) => {
  expect(terminalLine({ kind, scope }, isPaper)).toBe(line);
});
