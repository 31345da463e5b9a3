// Makes the page of all config members from the schemas that read them and the comments above their members.
import type { z } from 'zod';
import { backtestConfigSchema } from '../../../src/config/backtest-config.ts';
import { botConfigSchema } from '../../../src/config/bot-config.ts';
import { definitionsSchema } from '../../../src/config/definitions-config.ts';
import { exchangeConfigSchema } from '../../../src/config/exchange-config.ts';
import { faultsSchema } from '../../../src/config/fault-config.ts';
import { docsOf } from './docstrings.ts';
import { type Member, membersOf } from './members.ts';
import { sourceOf } from './source.ts';
import { table } from './table.ts';

interface Kind {
  readonly title: string;
  readonly intro: string;
  readonly schema: z.ZodType;
  readonly file: string;
  readonly name: string;
}

const KINDS: readonly Kind[] = [
  {
    title: 'A bot',
    intro:
      'Read by `presage run`, `paper`, `record`, `doctor`, `ladder`, and by the commands that operate a bot. Example: `config/demo.yaml`.',
    schema: botConfigSchema,
    file: 'src/config/bot-config.ts',
    name: 'botConfigSchema',
  },
  {
    title: 'A backtest',
    intro: 'Read by `presage backtest`. Example: `config/backtest.yaml`.',
    schema: backtestConfigSchema,
    file: 'src/config/backtest-config.ts',
    name: 'backtestConfigSchema',
  },
  {
    title: 'A local exchange',
    intro: 'Read by `presage exchange`, and by a bot with an embedded exchange. Example: `config/exchange.yaml`.',
    schema: exchangeConfigSchema,
    file: 'src/config/exchange-config.ts',
    name: 'exchangeConfigSchema',
  },
  {
    title: 'Faults of a local exchange',
    intro:
      'The `faults` section of an exchange, or a file for `presage exchange --faults`. Example: `config/faults.yaml`.',
    schema: faultsSchema,
    file: 'src/config/fault-config.ts',
    name: 'faultsSchema',
  },
  {
    title: 'Definitions of imported markets',
    intro: 'Read by `presage tape import --markets`. Example: [importing](../how-to/import.md).',
    schema: definitionsSchema,
    file: 'src/config/definitions-config.ts',
    name: 'definitionsSchema',
  },
];

/** Members that are documented elsewhere. */
const ELSEWHERE: readonly (readonly [path: string, meaning: string])[] = [
  ['limits', 'The account’s limits: [limits](limits.md).'],
  ['strategies[].limits', 'The strategy’s own limits, none looser than the account’s: [limits](limits.md).'],
  ['paper.simulation', 'The simulation of the account’s orders: `simulation` of [a backtest](#a-backtest).'],
  ['faults', 'Faults that the exchange injects: [faults](#faults-of-a-local-exchange).'],
];

/** Returns every member of every kind of config. */
export const configMembers = (): { readonly title: string; readonly members: readonly Member[] }[] =>
  KINDS.map(({ title, schema, file, name }) => ({
    title,
    members: membersOf(schema, docsOf(sourceOf(file), name)).flatMap(withoutElsewhere),
  }));

function withoutElsewhere(member: Member): Member[] {
  if (ELSEWHERE.some(([path]) => member.path.startsWith(`${path}.`) || member.path.startsWith(`${path}[`))) return [];
  const [, meaning = member.meaning] = ELSEWHERE.find(([path]) => path === member.path) ?? [];
  return [{ ...member, meaning }];
}

/** Makes the page. */
export function configPage(): string {
  const kinds = configMembers();
  const parts = KINDS.map(
    ({ title, intro }, index) =>
      `## ${title}\n\n${intro}\n\n${sections(kinds[index]?.members ?? [], index === 0 ? [] : (kinds[0]?.members ?? []))}`,
  );
  return `# Configs

Configs are YAML. A member that is not listed here is refused, with the nearest known name. Paths are relative to the config.
Durations are written \`250ms\`, \`30s\`, \`5m\`, \`2h\` or \`1d\`; money in dollars, prices in dollars, quantities in contracts.
The third column has the default; a dash means that the member is optional and has no default.

${parts.join('\n\n')}
`;
}

/**
 * Makes one table of the members without members of their own and of groups that equal a bot's, then a table for each
 * other group.
 */
function sections(members: readonly Member[], known: readonly Member[]): string {
  const groups = groupsOf(members);
  const before = new Map(groupsOf(known).map((group) => [JSON.stringify(group), group]));
  const isBrief = (group: readonly Member[]): boolean => group.length === 1 || before.has(JSON.stringify(group));
  const brief = groups.filter(isBrief).flatMap(([top, ...others]) => {
    if (top === undefined || others.length === 0) return top ?? [];
    return { ...top, meaning: 'As in [a bot’s](#a-bot).' };
  });
  return [brief, ...groups.filter((group) => !isBrief(group))]
    .filter(({ length }) => length > 0)
    .map(tableOf)
    .join('\n\n');
}

function groupsOf(members: readonly Member[]): Member[][] {
  const tops = [...new Set(members.map(({ path }) => topOf(path)))];
  return tops.map((top) => members.filter(({ path }) => topOf(path) === top));
}

const topOf = (path: string): string => path.split(/[.[ ]/, 1)[0] ?? path;

const tableOf = (members: readonly Member[]): string =>
  table(
    ['member', 'values', 'default', 'meaning'],
    members.map(({ path, form, takes, isRequired, without, meaning }) => [
      form === null ? `\`${path}\`` : `\`${path}\` with ${form}`,
      takes,
      isRequired ? 'required' : form !== null ? '' : without === null ? '–' : `\`${without}\``,
      meaning,
    ]),
  );
