// The page of a strategy's handlers, made of the interface that declares them: what each is called with, and when.
import type { Node } from 'oxc-parser';
import { HANDLER_NAMES } from '../../../src/strategy/handler-names.ts';
import { type Source, commentAbove, sourceOf } from './source.ts';
import { table } from './table.ts';

/** One handler, as the interface declares it. */
export interface HandlerRow {
  readonly name: string;
  /** The name of its event's type. */
  readonly event: string;
  /** The names of the event's members; empty where it is one of several forms. */
  readonly members: readonly string[];
  readonly when: string;
}

/** Every handler, in the order of the interface. */
export function handlerRows(): HandlerRow[] {
  const source = sourceOf('src/strategy/strategy-definition.ts');
  return bodyOf(source, 'Handlers').map((member) => {
    if (member.type !== 'TSMethodSignature' || member.key.type !== 'Identifier') throw new Error('no handler');
    const [event, view] = member.params.map((param) => textOf(source, param));
    const [, type = ''] = /^event: (\w+)$/.exec(event ?? '') ?? [];
    if (type === '' || view !== 'view: StrategyView')
      throw new Error(`${member.key.name}: expected (event: …, view: StrategyView), found (${event}, ${view})`);
    return { name: member.key.name, event: type, members: membersOf(source, type), when: commentAbove(source, member) };
  });
}

const textOf = ({ text }: Source, { start, end }: Node): string => text.slice(start, end);

/** The members of an interface. */
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

/** The page. */
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

What \`setup\` of a strategy may return. Every handler is called in the same way, with one event and the
[view](api.md#strategyview), and may return a list of [intents](../concepts/orders.md). It is no \`async\` function. An event is read-only and valid
during the call alone.

${table(['handler', 'event', 'members of the event', 'called when'], cells)}

A member of any other name that begins with \`on\`, or is nearly a handler's, is refused when the strategy is loaded.
`;
}
