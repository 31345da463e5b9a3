// Comments of the public surface: every option has a default, every symbol a sentence. A reader of an editor's tooltip
// sees nothing else.
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { type Declared, declaredSurface, docOf, placeOf } from './surface.ts';

/** Interfaces that are options by another name: what an author fills in. */
const FILLED_IN: ReadonlySet<string> = new Set([
  'BookLevels',
  'BoundStrategy',
  'CancelAllIntent',
  'CancelIntent',
  'DecreaseIntent',
  'ForecastIntent',
  'KellyBet',
  'KellyOrder',
  'MarketSelector',
  'PlaceIntent',
  'QuoteIntent',
  'StrategyDefinition',
]);

/** Words that make a comment a clause instead of a sentence. */
const CLAUSE = /^(?:What|Whether|How|Who|Whoever)\b/;

const isOptions = (name: string): boolean => /(?:Options|Spec|Config)$/.test(name) || FILLED_IN.has(name);

/** The optional members without a default, by place. */
function withoutDefault(surface: readonly Declared[]): string[] {
  return surface.flatMap(({ name, node }) => {
    if (!ts.isInterfaceDeclaration(node) || !isOptions(name)) return [];
    return node.members
      .filter((member) => member.questionToken !== undefined)
      .filter((member) => !docOf(member)?.tags.some((tag) => tag.name === 'default' && tag.text !== ''))
      .map((member) => `${placeOf(member)}: ${name}.${member.name?.getText()} has no @default`);
  });
}

/** The fault of a symbol's comment; `null` where it has none. */
function faultOf(node: ts.Declaration): string | null {
  const text = docOf(node)?.text ?? '';
  if (text === '') return 'has no comment';
  if (text.split(/\s+/).length <= 3) return `says too little: ${text}`;
  return CLAUSE.test(text) ? `opens with a clause: ${text}` : null;
}

/** True for a further signature of a function whose first one has the comment. */
const isOverload = ({ node }: Declared): boolean =>
  ts.isFunctionDeclaration(node) &&
  node.parent.forEachChild((each) => ts.isFunctionDeclaration(each) && each.name?.text === node.name?.text && each) !==
    node;

describe('comments of the public surface', { timeout: PATIENCE_MS }, () => {
  const surface = declaredSurface();

  it('covers both entries', () => {
    const names = new Set(surface.map(({ name }) => name));
    for (const name of ['defineStrategy', 'StageOptions', 'BookView', 'FillReport']) expect(names).toContain(name);
    for (const name of FILLED_IN) expect(names).toContain(name);
  });

  it('gives the default of every option', () => {
    expect(withoutDefault(surface)).toEqual([]);
  });

  it('explains every exported symbol in more than three words, as a statement', () => {
    const faults = surface
      .filter((each) => !isOverload(each))
      .flatMap(({ name, place, node }) => {
        const fault = faultOf(node);
        return fault === null ? [] : [`${place}: ${name} ${fault}`];
      });
    expect(faults).toEqual([]);
  });

  it('finds an option without a default, and a clause', () => {
    const text =
      '/** What it is and does. */\nexport interface AOptions { /** Milliseconds. */ readonly waitMs?: number; }\n';
    const file = ts.createSourceFile('/a.ts', text, ts.ScriptTarget.ESNext, true);
    const [node] = file.statements;
    if (node === undefined || !ts.isInterfaceDeclaration(node)) throw new Error('expected an interface');
    expect(withoutDefault([{ name: 'AOptions', place: 'a', node }])).toHaveLength(1);
    expect(faultOf(node)).toBe('opens with a clause: What it is and does.');
  });
});
