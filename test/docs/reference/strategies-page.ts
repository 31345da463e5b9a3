// Makes the page of the shipped strategies from their files: the opening comment of each, and its schema.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ParamInfo, paramsOf } from '../../../src/runtime/plugins/strategy-params.ts';
import type { Strategy } from '../../../src/strategy/strategy-definition.ts';
import closingTaker from '../../../strategies/closing-taker.ts';
import forecastFollower from '../../../strategies/forecast-follower.ts';
import groupArbitrage from '../../../strategies/group-arbitrage.ts';
import inventoryMarketMaker from '../../../strategies/inventory-market-maker.ts';
import printMomentum from '../../../strategies/print-momentum.ts';
import strikeLadder from '../../../strategies/strike-ladder.ts';
import twoSidedQuoter from '../../../strategies/two-sided-quoter.ts';
import { ROOT } from '../pages.ts';
import { table } from './table.ts';

/** Every strategy, by file name. */
const STRATEGIES: Readonly<Record<string, Strategy>> = {
  'closing-taker.ts': closingTaker,
  'forecast-follower.ts': forecastFollower,
  'group-arbitrage.ts': groupArbitrage,
  'inventory-market-maker.ts': inventoryMarketMaker,
  'print-momentum.ts': printMomentum,
  'strike-ladder.ts': strikeLadder,
  'two-sided-quoter.ts': twoSidedQuoter,
};

/**
 * Makes the page.
 * @throws {Error} when a file is missing in `STRATEGIES`.
 */
export function strategiesPage(): string {
  const files = readdirSync(join(ROOT, 'strategies')).filter((file) => file.endsWith('.ts'));
  const parts = files.toSorted().map(partOf);
  return `# Shipped strategies

Each strategy is one file in \`strategies/\`, written to be read. A section here has the file's opening comment and the parameters
of its schema.

${parts.join('\n\n')}
`;
}

function partOf(file: string): string {
  const path = join(ROOT, 'strategies', file);
  const strategy = STRATEGIES[file];
  if (!strategy)
    throw new Error(`strategies/${file} is not documented: name it in test/docs/reference/strategies-page.ts`);
  const keeps = strategy.saved === null ? 'Saves no state.' : 'Saves its state, and restores it after a restart.';
  return [
    `## ${strategy.name}`,
    `\`strategies/${file}\`. ${strategy.description} ${keeps}`,
    headOf(readFileSync(path, 'utf8')),
    table(['parameter', 'values', 'default', 'meaning'], paramsOf(strategy).map(rowOf)),
  ].join('\n\n');
}

const rowOf = ({ name, type, isRequired, description, default: without }: ParamInfo): string[] => [
  `\`${name}\``,
  type,
  isRequired ? 'required' : without === undefined ? '–' : `\`${JSON.stringify(without)}\``,
  description,
];

/** Returns the comment at the start of a file, as paragraphs. */
const headOf = (text: string): string =>
  (/^(?:\/\/.*\n)+/.exec(text)?.[0] ?? '')
    .split('\n')
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n')
    .trim();
