// Makes the page of a strategy's handlers from the interface that declares them: the event of each, and when it is
// called.
import type { Node } from 'oxc-parser';
import { HANDLER_NAMES } from '../../../src/strategy/handler-names.ts';
import { type Source, commentAbove, sourceOf } from './source.ts';
import { table } from './table.ts';

/** One handler, as the interface declares it. */
export interface HandlerRow {
  readonly name: string;
  /** Name of its event's type. */
  readonly event: string;
  /** Names of the event's members; empty for an event of several forms. */
  readonly members: readonly string[];
  readonly when: string;
}

/** Returns every handler, in the order of the interface. */
export function handlerRows(): HandlerRow[] {
  const source = sourceOf('src/strategy/strategy-definition.ts');
  return bodyOf(source, 'Handlers').map((member) => {
    if (member.type !== 'TSMethodSignature' || member.key.type !== 'Identifier')
      throw new Error('a member of Handlers is not a method');
    const [event, view] = member.params.map((param) => textOf(source, param));
    const [, type = ''] = /^event: (\w+)$/.exec(event ?? '') ?? [];
    if (type === '' || view !== 'view: StrategyView')
      throw new Error(`${member.key.name}: expected (event: …, view: StrategyView), found (${event}, ${view})`);
    return { name: member.key.name, event: type, members: membersOf(source, type), when: commentAbove(source, member) };
  });
}

const textOf = ({ text }: Source, { start, end }: Node): string => text.slice(start, end);

/** Returns the members of an interface. */
function bodyOf({ path, program }: Source, name: string): Node[] {
  for (const node of program.body) {
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    if (declared?.type === 'TSInterfaceDeclaration' && declared.id.name === name) return declared.body.body;
  }
  if (path.endsWith('domain/event.ts')) return [];
  throw new Error(`${path} has no interface ${name}`);
}

function membersOf(source: Source, name: string): string[] {
  const from = source.imports.get(name);
  if (from) return membersOf(sourceOf(from.path), from.name);
  return bodyOf(source, name).flatMap((member) =>
    member.type === 'TSPropertySignature' && member.key.type === 'Identifier' ? [member.key.name] : [],
  );
}

/** Makes the page. */
export function handlersPage(): string {
  const rows = handlerRows();
  const names = rows.map(({ name }) => name);
  if (names.join() !== HANDLER_NAMES.join()) throw new Error(`expected the handlers ${names.join()}`);
  const cells = rows.map(({ name, event, members, when }) => [
    `\`${name}(event, view)\``,
    `[\`${event}\`](api.md#${event.toLowerCase()})`,
    members.length === 0 ? 'by its `type`' : members.map((each) => `\`${each}\``).join(', '),
    when,
  ]);
  return `# Handlers

\`setup\` of a strategy may return these handlers. Every handler is called with one event and the [view](api.md#strategyview), and
may return a list of [intents](../concepts/orders.md). It must not be an \`async\` function. An event is read-only and valid only
during the call.

${table(['handler', 'event', 'members of the event', 'called when'], cells)}

When a strategy is loaded, any other member whose name begins with \`on\` or is close to a handler's name is refused.
`;
}
