// The page of limits, made of the one table that says what each means.
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

/** The page. */
export function limitsPage(): string {
  const rows = (isRequired: boolean) =>
    RISK_LIMITS.filter((info) => info.isRequired === isRequired).map((info) => [
      `\`${info.configName}\``,
      UNITS[info.unit],
      `\`${info.example}\``,
      info.isOfStrategies ? 'yes' : 'no',
      info.meaning,
    ]);
  const names = ['limit', 'takes', 'example', 'of a strategy', 'meaning'];
  return `# Limits

Members of \`limits\` in a config. Those marked _of a strategy_ may also stand in \`strategies[].limits\`, where they may only be
tighter. \`presage override\` sets one otherwise for a while. What risk does with them is in [risk](../concepts/risk.md).

## Must be chosen

A config with strategies that lacks one of these is refused. None has a default.

${table(names, rows(true))}

## May be left out

One that is left out is no limit at all.

${table(names, rows(false))}
`;
}
