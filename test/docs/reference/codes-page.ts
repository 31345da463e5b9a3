// Makes the pages of denials and alarms from the types that list their codes and the functions that describe them.
import type { Expression, Node, SwitchCase } from 'oxc-parser';
import { type Source, commentAbove, sourceOf, typeNamed } from './source.ts';
import { table } from './table.ts';

/** Returns the members of a union type, each with its comment in the source. */
function unionOf(source: Source, name: string): { readonly node: Node; readonly comment: string }[] {
  const type = typeNamed(source, name);
  if (type.type !== 'TSUnionType') throw new Error(`${name} is not a union type`);
  return type.types.map((node) => ({ node, comment: commentAbove(source, node) }));
}

/** Makes the page of denials. */
export function denialsPage(): string {
  const source = sourceOf('src/domain/denial.ts');
  const words = describedBy(source);
  const rows = unionOf(source, 'Denial').map(({ node }) => {
    const { code, figures } = denialOf(source, node);
    const sentence = words.get(code);
    if (sentence === undefined) throw new Error(`${code} is never described`);
    return [`\`${code}\``, figures.map((figure) => `\`${figure}\``).join(', ') || '–', sentence];
  });
  return `# Denials

An intent that risk refuses comes back as a denial: a code that never changes, and the figures that were compared. A strategy
receives it in \`onIntentOutcome\`; a report counts denials by code. Prices are in ten-thousandths of a dollar, quantities in
hundredths of a contract, money in millionths of a dollar. \`describeDenial\` makes the sentence in the last column, with figures
as people read them.

${table(['code', 'figures', 'description'], rows)}
`;
}

function denialOf(source: Source, node: Node): { readonly code: string; readonly figures: readonly string[] } {
  if (node.type !== 'TSTypeLiteral') throw new Error('a denial must be written out in the union that lists it');
  const members = node.members.flatMap((member) => (member.type === 'TSPropertySignature' ? [member] : []));
  const names = members.map(({ key }) => source.text.slice(key.start, key.end));
  const code = members[names.indexOf('code')]?.typeAnnotation?.typeAnnotation;
  if (!code) throw new Error('a denial without a code');
  return {
    code: source.text.slice(code.start, code.end).slice(1, -1),
    figures: names.filter((name) => name !== 'code'),
  };
}

/** Returns the sentence that describes each code, with the names of the figures in braces. */
function describedBy(source: Source): Map<string, string> {
  const cases = casesIn(source);
  return new Map(
    cases.flatMap(({ test, consequent: [sentence] }) => {
      if (test?.type !== 'Literal' || sentence?.type !== 'ReturnStatement' || !sentence.argument) return [];
      return [[String(test.value), sentencesOf(source, sentence.argument).join(', or: ')] as const];
    }),
  );
}

/** Returns the cases of every function that consists of a switch. */
const casesIn = ({ program }: Source): SwitchCase[] =>
  program.body.flatMap((node) => {
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    const [only] = declared?.type === 'FunctionDeclaration' ? (declared.body?.body ?? []) : [];
    return only?.type === 'SwitchStatement' ? only.cases : [];
  });

/** Returns the possible strings of an expression. Each inserted value is replaced by the name of its figure. */
function sentencesOf(source: Source, sentence: Expression): string[] {
  if (sentence.type === 'ConditionalExpression')
    return [...sentencesOf(source, sentence.consequent), ...sentencesOf(source, sentence.alternate)];
  if (sentence.type === 'Literal') return [String(sentence.value)];
  if (sentence.type !== 'TemplateLiteral') return [];
  const parts = sentence.quasis.map(({ value }, index) => {
    const filled = sentence.expressions[index];
    if (!filled) return value.raw;
    const [, figure = '…'] = /denial\.(\w+)/.exec(source.text.slice(filled.start, filled.end)) ?? [];
    return `${value.raw}{${figure}}`;
  });
  return [parts.join('')];
}

/** Makes the page of alarms. */
export function alarmsPage(): string {
  const source = sourceOf('src/domain/alarm.ts');
  const rows = unionOf(source, 'AlarmCode').map(({ node, comment }) => [
    `\`${source.text.slice(node.start, node.end).slice(1, -1)}\``,
    comment,
  ]);
  return `# Alarms

An alarm reports a fact that a person should look at. It does not stop trading by itself; a fact that must stop trading also
causes a halt. Alarms are in the log, in \`presage status\`, on the session's screen and in its JSON lines, with the figures that
were compared. Codes never change.

${table(['code', 'meaning'], rows)}
`;
}
