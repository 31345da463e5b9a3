// The dashboard and the alert rules: each metric that they name exists, and Prometheus accepts the rules.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { botOfFolder } from '../../src/app/session/paper-folder.ts';
import { must } from '../../src/base/assert.ts';
import { BOT_METRICS, type BotMetric, OWN_METRICS } from '../../src/metrics/metric-table.ts';
import { RISK_LIMITS } from '../../src/risk/risk-limits.ts';
import { ROOT } from '../docs/pages.ts';

const RULES = join(ROOT, 'config/monitoring/prometheus-rules.yaml');
const DASHBOARD = join(ROOT, 'config/monitoring/grafana-dashboard.json');

/** The severity of a rule that rings, except for paper. */
const CRITICAL = String.raw`{{ if match "\\(paper\\)$" $labels.bot }}warning{{ else }}critical{{ end }}`;

const rulesSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^[A-Z][A-Za-z]+$/),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['warning', CRITICAL]) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
});

const targetSchema = z.looseObject({ refId: z.string(), expr: z.string() });
const panelSchema = z.looseObject({
  id: z.int(),
  type: z.enum(['row', 'timeseries', 'stat']),
  title: z.string().min(1),
  gridPos: z.strictObject({ h: z.int(), w: z.int(), x: z.int(), y: z.int() }),
  targets: z.array(targetSchema).optional(),
});
const dashboardSchema = z.looseObject({
  uid: z.literal('presage'),
  schemaVersion: z.literal(39),
  panels: z.array(panelSchema),
  annotations: z.looseObject({ list: z.array(z.looseObject({ name: z.string(), expr: z.string().optional() })) }),
  templating: z.looseObject({ list: z.array(z.looseObject({ name: z.string() })) }),
});

const rules = rulesSchema.parse(parse(readFileSync(RULES, 'utf8'))).groups.flatMap((group) => group.rules);
const dashboard = dashboardSchema.parse(JSON.parse(readFileSync(DASHBOARD, 'utf8')));
const queries = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.annotations.list.flatMap(({ expr }) => (expr === undefined ? [] : [expr])),
];

const METRICS: ReadonlyMap<string, Pick<BotMetric, 'name' | 'labels'> & { readonly type: string }> = new Map(
  [...BOT_METRICS, ...Object.values(OWN_METRICS)].map((metric) => [metric.name, metric]),
);

/** Names of metrics in an expression that no table has. The endings of a histogram belong to its name. */
const unknownIn = (expr: string): string[] =>
  [...expr.matchAll(/presage_\w+/g)]
    .map(([name]) => name)
    .filter(
      (name) => !METRICS.has(name) && METRICS.get(name.replace(/_(bucket|sum|count)$/, ''))?.type !== 'histogram',
    );

/** Labels in the selectors of an expression that their metric does not have. */
const unknownLabelsIn = (expr: string): string[] =>
  [...expr.matchAll(/(presage_\w+)\{([^}]*)\}/g)].flatMap(([, name = '', selector = '']) => {
    const metric = METRICS.get(name) ?? METRICS.get(name.replace(/_(bucket|sum|count)$/, ''));
    const known = new Set(['bot', 'le', ...(metric?.labels ?? [])]);
    return [...selector.matchAll(/(\w+)!?=/g)].map(([, label = '']) => label).filter((label) => !known.has(label));
  });

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe('the alert rules', () => {
  it('name only metrics and labels that exist', () => {
    expect(rules.flatMap(({ expr }) => [...unknownIn(expr), ...unknownLabelsIn(expr)])).toEqual([]);
    expect(unknownIn('presage_no_such_metric > 1')).toEqual(['presage_no_such_metric']);
    expect(unknownLabelsIn('presage_up{colour="red"}')).toEqual(['colour']);
  });

  it('name only limits that exist', () => {
    const named = rules.flatMap(({ expr }) => [...expr.matchAll(/limit="(\w+)"/g)].map(([, limit]) => limit));
    expect(named).toEqual(['dailyLossMax']);
    expect(RISK_LIMITS.map(({ name }) => name)).toContain('dailyLossMax');
  });

  it('do not ring for a paper session, whose label has the mark', () => {
    expect(rules.filter(({ labels }) => labels.severity === CRITICAL)).toHaveLength(6);
    // A pattern of Go in a string of its templates: each backslash is written twice.
    const pattern = must(/match "(.*)" /.exec(CRITICAL)?.[1], 'a pattern').replaceAll('\\\\', '\\');
    expect(botOfFolder('/var/demo/paper', true)).toMatch(new RegExp(pattern));
    expect(botOfFolder('/var/paper', false)).not.toMatch(new RegExp(pattern));
  });

  it('advise no command that would act on the live bot of a paper session', () => {
    const commands = rules.flatMap(
      ({ annotations }) => annotations.description.match(/`presage (?!alerts test)[^`]*`/g) ?? [],
    );
    expect(commands).not.toEqual([]);
    const mark = String.raw`{{ if match "\\(paper\\)$" $labels.bot }} --paper{{ end }}`;
    for (const command of commands) expect(command).toContain(`${mark}\``);
  });

  it.runIf(hasPromtool)('show the command with --paper for a paper session alone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-rules-'));
    const halted = (bot: string, paper: string, severity: string): object => ({
      exp_labels: { bot, scope: 'account', severity },
      exp_annotations: {
        summary: `${bot} is halted`,
        description: `The whole account places no order. \`presage status${paper}\` says why, \`presage resume${paper}\` lifts the halt.`,
      },
    });
    const series = (bot: string): object => ({ series: `presage_halted{bot="${bot}",scope="account"}`, values: '1x9' });
    const tests = [
      {
        interval: '15s',
        input_series: [series('demo'), series('demo (paper)')],
        alert_rule_test: [
          {
            eval_time: '1m',
            alertname: 'PresageHalted',
            exp_alerts: [halted('demo', '', 'critical'), halted('demo (paper)', ' --paper', 'warning')],
          },
        ],
      },
    ];
    const file = join(folder, 'tests.json');
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '15s', tests }));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true, force: true });
    expect(status, `${stdout}${stderr}`).toBe(0);
  });

  it('do not count the denials of a halt as a storm', () => {
    expect(rules.find(({ alert }) => alert === 'DenialStorm')?.expr).toContain('{code!="halted"}');
  });

  it('have a name each, and say what to do', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { annotations } of rules) expect(annotations.description).toMatch(/\.$/);
  });

  it('report each bot whose port is gone, although others answer', () => {
    const [, job] = /job_name: (\w+)/.exec(readFileSync(join(ROOT, 'docs/how-to/monitor.md'), 'utf8')) ?? [];
    expect(rules.find(({ alert }) => alert === 'PresageDown')?.expr).toContain(`up{job="${job}"} == 0`);
  });

  it.runIf(hasPromtool)('are accepted by promtool', () => {
    const { status, stderr } = spawnSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' });
    expect(`${status} ${stderr}`.trim()).toBe('0');
  });
});

describe('the dashboard', () => {
  it('names only metrics and labels that exist', () => {
    expect(queries.length).toBeGreaterThan(30);
    expect(queries.flatMap((expr) => [...unknownIn(expr), ...unknownLabelsIn(expr)])).toEqual([]);
  });

  it('shows every metric but `ready`, which is for programs', () => {
    const all = queries.join(' ');
    const unseen = [...METRICS.keys()].filter((name) => !new RegExp(`${name}(_bucket|_sum|_count)?\\b`).test(all));
    expect(unseen).toEqual(['presage_ready']);
  });

  it('has rows in the order of importance, and panels that do not overlap', () => {
    const { panels } = dashboard;
    expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
      'Money',
      'Trading',
      'Speed',
      'Feed',
      'Budgets',
      'Machine',
    ]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const [number, { gridPos: one }] of panels.entries())
      for (const { gridPos: other } of panels.slice(number + 1)) {
        const isApart =
          one.x + one.w <= other.x ||
          other.x + other.w <= one.x ||
          one.y + one.h <= other.y ||
          other.y + other.h <= one.y;
        expect(isApart).toBe(true);
        expect(one.x + one.w).toBeLessThanOrEqual(24);
      }
  });

  it('uses only variables that it defines', () => {
    const defined = new Set([...dashboard.templating.list.map(({ name }) => name), '__rate_interval', '__all']);
    const used = [...readFileSync(DASHBOARD, 'utf8').matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !defined.has(name))).toEqual([]);
  });
});
