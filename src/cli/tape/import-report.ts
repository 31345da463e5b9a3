// Renders the report of an import for people: warnings first, the tape's content last. Pure text.
import { countedNoun, countText } from '../../report/text/figure-text.ts';
import { isoMicros } from '../../tape/format/iso-time.ts';
import {
  type ImportFinding,
  type ImportReport,
  type MarketCoverage,
  percentText,
} from '../../tape/import/import-formats.ts';
import { columns } from '../output/text-format.ts';
import type { ReadDefinitions } from './import-definitions.ts';

/** A market is listed when its book is known for a smaller share of its time. */
const SHARE_OF_INTEREST = 0.99;
const MARKETS_SHOWN = 5;

/** Renders a report as lines. */
export function renderImport(out: string, report: ImportReport, notRead: ReadDefinitions['notRead']): string[] {
  const { warnings, facts, findings } = report;
  const others = Object.entries(notRead).map(
    ([kind, count]) => `in the description of markets, ${kind} was not read (${count} times)`,
  );
  return [
    ...warnings.map((sentence) => `WARNING: ${sentence}`),
    `${out}: ${coverageText(report)}, ${countedNoun(facts.gaps.length, 'gap')}, ${findingsText(findings)}`,
    ...leastKnown(report.coverage.markets),
    `  ${countedNoun(report.markets, 'market')}, ${isoMicros(facts.from)} to ${isoMicros(facts.to)}`,
    `  ${countText(report.read)} read as ${report.dialect ?? report.format}, ${countedNoun(facts.rows, 'row')} written`,
    ...section('assumed', [...facts.assumptions, ...others]),
    ...section('found', findings.flatMap(renderFinding)),
    ...section('on the tape', columns(Object.entries(facts.counts).map(countRow))),
  ];
}

const countRow = ([kind, count]: readonly [string, number]): string[] => [kind, countText(count)];

const coverageText = ({ coverage: { share } }: ImportReport): string =>
  share === null ? 'no books' : `books known for ${percentText(share)} of their time`;

const findingsText = (findings: readonly ImportFinding[]): string =>
  findings.length === 0
    ? 'nothing was left out, changed or out of order'
    : countedNoun(
        findings.reduce((sum, { count }) => sum + count, 0),
        'finding',
      );

function leastKnown(markets: readonly MarketCoverage[]): string[] {
  const poor = markets.filter(({ share }) => share < SHARE_OF_INTEREST).toSorted((a, b) => a.share - b.share);
  const rest = poor.length - MARKETS_SHOWN;
  return [
    ...poor.slice(0, MARKETS_SHOWN).map(({ ticker, share }) => `  ${ticker}: known for ${percentText(share)}`),
    ...(rest > 0 ? [`  and ${countedNoun(rest, 'market')} known for less than 99 %: --json names all`] : []),
  ];
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];

function renderFinding({ kind, count, resolution, examples }: ImportFinding): string[] {
  const [first] = examples;
  const place = first === undefined || first.line === null ? '' : `, line ${first.line}`;
  return [
    `${count} ${kind}: ${resolution}`,
    ...(first === undefined ? [] : [`  first in ${first.file}${place}: ${first.what}`]),
  ];
}
