// Makes the page of limits from the table that describes them.
import { type LimitInfo, RISK_LIMITS } from '../../../src/risk/risk-limits.ts';
import { table } from './table.ts';

const UNITS: Readonly<Record<LimitInfo['unit'], string>> = {
  contracts: 'contracts',
  dollars: 'dollars',
  price: 'a price in dollars',
  distance: 'dollars between two prices',
  milliseconds: 'a duration',
  count: 'a number',
};

/** Makes the page. */
export function limitsPage(): string {
  const rows = (isRequired: boolean) =>
    RISK_LIMITS.filter((info) => info.isRequired === isRequired).map((info) => [
      `\`${info.configName}\``,
      info.name === 'bookAgeMsMax' ? 'a duration of at least 10ms' : UNITS[info.unit],
      `\`${info.example}\``,
      info.isOfStrategies ? 'yes' : 'no',
      info.meaning,
    ]);
  const names = ['limit', 'unit', 'example', 'per strategy', 'meaning'];
  return `# Limits

Members of \`limits\` in a config. Limits marked _per strategy_ can also be set in \`strategies[].limits\`, where they may only be
tighter. \`presage override\` changes a limit for some time. [Risk](../concepts/risk.md) explains how limits are applied.

## Required limits

A config with strategies must set all of these. None has a default.

${table(names, rows(true))}

## Optional limits

A limit that is left out does not apply.

${table(names, rows(false))}
`;
}
