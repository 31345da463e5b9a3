// Writes the metrics of one or more bots as the text that Prometheus scrapes. Must never write more of a silent bot
// than `presage_up` 0.
import { Counter, Gauge, Registry } from 'prom-client';
import type { BotFigures } from './bot-figures.ts';
import { CountedHistogram } from './counted-histogram.ts';
import { BOT_METRICS, type BotMetric, type FigureMetric, type LatencyMetric, OWN_METRICS } from './metric-table.ts';

/** One bot of a scrape. */
export interface ScrapedBot {
  /** The name of the bot's data folder, with a mark for a paper session. */
  readonly bot: string;
  /** `null` when the bot does not answer. */
  readonly figures: BotFigures | null;
}

/** The console's own figures. */
export interface ConsoleFigures {
  readonly clients: number;
  /** Updates that were not sent, because a browser was too slow. */
  readonly dropped: number;
}

/** Everything that one scrape shows. */
export interface MetricSources {
  readonly bots: readonly ScrapedBot[];
  readonly console?: ConsoleFigures;
}

/** Content type of the text. */
export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * Returns the text of a scrape.
 *
 * @example
 * await renderMetrics({ bots: [{ bot: 'demo', figures: null }] }); // …presage_up{bot="demo"} 0
 */
export async function renderMetrics(sources: MetricSources): Promise<string> {
  const registry = new Registry();
  const { bots, console: own } = sources;
  addSamples(
    registry,
    OWN_METRICS.up,
    bots.map(({ bot, figures }) => ({ labels: { bot }, value: figures === null ? 0 : 1 })),
  );
  for (const metric of BOT_METRICS) addBotMetric(registry, metric, bots);
  if (own !== undefined) {
    addSamples(registry, OWN_METRICS.consoleClients, [{ labels: {}, value: own.clients }]);
    addSamples(registry, OWN_METRICS.consoleDropped, [{ labels: {}, value: own.dropped }]);
  }
  return registry.metrics();
}

function addBotMetric(registry: Registry, metric: BotMetric, bots: readonly ScrapedBot[]): void {
  if (metric.type === 'histogram') return addLatency(registry, metric, bots);
  const samples = samplesOf(metric.read, bots);
  addSamples(registry, { ...metric, labels: ['bot', ...metric.labels] }, samples);
}

function addLatency(registry: Registry, metric: LatencyMetric, bots: readonly ScrapedBot[]): void {
  const { name, help, labels, bounds, read } = metric;
  const samples = samplesOf(read, bots);
  // A metric without a value is left out, as with gauges and counters.
  if (samples.length === 0) return;
  const histogram = new CountedHistogram({ name, help, labelNames: ['bot', ...labels], bounds, samples });
  registry.registerMetric(histogram);
}

/** Adds the bot's name to each sample. */
function samplesOf<Each extends { readonly labels: Readonly<Record<string, string>> }>(
  read: (figures: BotFigures) => readonly Each[],
  bots: readonly ScrapedBot[],
): Each[] {
  return bots.flatMap(({ bot, figures }) =>
    figures === null ? [] : read(figures).map((sample) => ({ ...sample, labels: { bot, ...sample.labels } })),
  );
}

type Described = Pick<FigureMetric, 'name' | 'type' | 'help' | 'labels'>;

function addSamples(registry: Registry, metric: Described, samples: ReturnType<FigureMetric['read']>): void {
  if (samples.length === 0) return;
  const config = { name: metric.name, help: metric.help, labelNames: [...metric.labels], registers: [registry] };
  if (metric.type === 'gauge') {
    const gauge = new Gauge(config);
    for (const { labels, value } of samples) gauge.set({ ...labels }, value);
    return;
  }
  const counter = new Counter(config);
  for (const { labels, value } of samples) counter.inc({ ...labels }, value);
}
