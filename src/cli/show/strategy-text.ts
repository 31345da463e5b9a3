// Describes a strategy for people, and renders its parameters as YAML of a config. Pure text.
import { plainText, wrappedText } from '../../report/text/text-columns.ts';
import type { ParamInfo } from '../../runtime/plugins/strategy-params.ts';
import type { MarketSelector } from '../../strategy/strategy-definition.ts';
import type { StrategyDescription } from '../../app/strategy/strategy-description.ts';

const MARGIN = '  ';
const WIDTH_MIN = 40;
const WIDTH_MAX = 120;

/** Renders the whole description, wrapped for a terminal. */
export function describeText(facts: StrategyDescription, columns: number): string[] {
  const width = Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, columns));
  const { name, description, file, idea, params, running, isKeeping, imports } = facts;
  const indented = (text: string): string[] => wrappedText(text, width - MARGIN.length).map((line) => MARGIN + line);
  const part = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['', title, ...lines]);
  const lines = [
    ...wrappedText(description === '' ? name : `${name}: ${description}`, width),
    ...wrappedText(file, width),
    ...part(
      'Idea',
      idea.flatMap((paragraph, at) => [...(at === 0 ? [] : ['']), ...indented(paragraph)]),
    ),
    ...part('Parameters', params.length === 0 ? indented('none') : params.flatMap((param) => paramLines(param, width))),
    ...part('Markets', indented(running === null ? REQUIRED_FIRST : selectorText(running.markets))),
    ...part('Handlers', indented(running === null ? REQUIRED_FIRST : running.handlers.join(', ') || 'nothing')),
    ...part('Saved state', indented(isKeeping ? 'what its schema says' : 'nothing')),
    ...part('Imports', indented(imports.join(', ') || 'nothing')),
  ];
  return lines.map(plainText);
}

const REQUIRED_FIRST = 'known once its required parameters are given by --param';

function paramLines(param: ParamInfo, width: number): string[] {
  const { name, type, description, isRequired } = param;
  const where = isRequired
    ? 'required'
    : param.default === undefined
      ? 'optional'
      : `default ${valueText(param.default)}`;
  const room = width - 2 * MARGIN.length;
  return [
    `${MARGIN}${name}`,
    ...(description === '' ? [] : wrappedText(description, room)).map((line) => MARGIN + MARGIN + line),
    ...wrappedText(`${type}; ${where}`, room).map((line) => MARGIN + MARGIN + line),
  ];
}

function selectorText(selector: MarketSelector): string {
  const parts = Object.entries(selector).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [typeof value === 'function' ? `${name}: computed` : `${name}: ${valueText(value)}`];
  });
  return parts.length === 0 ? 'all of the session’s' : parts.join('; ');
}

/** Renders parameters as YAML. Optional parameters without a default are commented out. */
export function paramsText(params: readonly ParamInfo[]): string[] {
  if (params.length === 0) return ['params: {} # it has none'];
  return ['params:', ...params.flatMap(paramYaml)];
}

function paramYaml({ name: member, type, description, isRequired, default: value }: ParamInfo): string[] {
  const name = valueText(member);
  // A description may have several lines, and a comment of YAML ends with its line.
  const words = (description === '' ? type : `${description}: ${type}`).replaceAll(/\s+/g, ' ');
  const comment = `${MARGIN}# ${words}`;
  if (isRequired) return [`${comment}; required`, `${MARGIN}${name}:`];
  return [comment, value === undefined ? `${MARGIN}# ${name}:` : `${MARGIN}${name}: ${valueText(value)}`];
}

/** Words that YAML would not read as text. */
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** JSON, but without quotes around plain words. */
const valueText = (value: unknown): string =>
  typeof value === 'string' && /^[A-Za-z][\w-]*$/.test(value) && !NO_TEXT.test(value) ? value : JSON.stringify(value);
