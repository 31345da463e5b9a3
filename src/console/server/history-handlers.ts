// Handlers of the history's routes: they update and query the history. Must never let two requests update one history
// at a time.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  HELD_COLUMNS,
  type HistoryColumn,
  ORDER_COLUMNS,
  profitColumns,
  SESSION_COLUMNS,
  TIMELINE_COLUMNS,
  TRADE_COLUMNS,
} from '../../history/export/history-columns.ts';
import { csvLines, writeParquet } from '../../history/export/history-files.ts';
import { askHistory } from '../../history/history-reader.ts';
import { listHeld } from '../../history/queries/account-query.ts';
import type { HistoryFilter, HistoryPage, PageRequest } from '../../history/queries/history-filter.ts';
import { readMarketPast } from '../../history/queries/market-past.ts';
import { markDeadSessions } from '../../history/queries/dead-sessions.ts';
import * as questions from '../../history/queries/history-queries.ts';
import { type FeeRow, sumFees, sumProfit } from '../../history/queries/profit-queries.ts';
import { CursorFault, type HistoryStore } from '../../history/store/history-store.ts';
import type { Logger } from '../../log.ts';
import * as routes from '../api/history-routes.ts';
import type { HistoryQuery } from '../api/history-routes.ts';
import type { ConsoleBot } from '../bots/console-bot.ts';
import { pastChart } from '../bots/past-chart.ts';
import { type ConsoleApp, botNamed } from './console-app.ts';
import { ProblemFault } from './problem.ts';

const FEE_COLUMNS: readonly HistoryColumn<FeeRow>[] = [
  { name: 'group', kind: 'text', valueOf: ({ group }) => group },
  { name: 'makerFills', kind: 'count', valueOf: ({ makerFills }) => makerFills },
  { name: 'makerFee', kind: 'money', valueOf: ({ makerFeeMicros }) => makerFeeMicros },
  { name: 'takerFills', kind: 'count', valueOf: ({ takerFills }) => takerFills },
  { name: 'takerFee', kind: 'money', valueOf: ({ takerFeeMicros }) => takerFeeMicros },
];

/** The handlers of the history of all bots. */
export class HistoryHandlers {
  readonly #bots: readonly ConsoleBot[];
  readonly #log: Logger;
  /** The latest question of each bot. The next question waits for it. */
  readonly #latest = new Map<string, Promise<unknown>>();

  constructor(bots: readonly ConsoleBot[], log: Logger) {
    this.#bots = bots;
    this.#log = log;
  }

  readonly addTo = (app: ConsoleApp): void => {
    const botOf = (name: string): ConsoleBot => botNamed(this.#bots, name);
    app.openapi(routes.historySessionsRoute, async (context) => {
      const query = context.req.valid('query');
      const bot = botOf(context.req.valid('param').bot);
      const found = await this.#ask(bot, (store) => {
        const { rows, next } = questions.listSessions(store, filterOf(query), pageOf(query));
        return { rows: markDeadSessions(bot.dataFolder, rows), next };
      });
      return (
        fileOf({ name: 'sessions', columns: SESSION_COLUMNS, rows: found.rows }, query) ??
        context.json(copyOf(found), 200)
      );
    });
    app.openapi(routes.historyTradesRoute, async (context) => {
      const query = context.req.valid('query');
      const found = await this.#ask(botOf(context.req.valid('param').bot), (store) =>
        questions.listTrades(store, filterOf(query), pageOf(query)),
      );
      return (
        fileOf({ name: 'trades', columns: TRADE_COLUMNS, rows: found.rows }, query) ?? context.json(copyOf(found), 200)
      );
    });
    app.openapi(routes.historyOrdersRoute, async (context) => {
      const query = context.req.valid('query');
      const { state } = query;
      const found = await this.#ask(botOf(context.req.valid('param').bot), (store) =>
        questions.listOrders(store, { ...filterOf(query), ...(state !== undefined && { state }) }, pageOf(query)),
      );
      return (
        fileOf({ name: 'orders', columns: ORDER_COLUMNS, rows: found.rows }, query) ?? context.json(copyOf(found), 200)
      );
    });
    app.openapi(routes.historyOrderRoute, async (context) => {
      const { bot, id } = context.req.valid('param');
      const order = await this.#ask(botOf(bot), (store) => questions.findOrder(store, id));
      if (order === null) throw new ProblemFault('not-found', 'no journal of this bot shows such an order');
      return context.json({ ...order, states: [...order.states], fills: [...order.fills] }, 200);
    });
    app.openapi(routes.historyChartRoute, async (context) => {
      const { bot, ticker } = context.req.valid('param');
      const { from: fromUs, to: toUs, points } = context.req.valid('query');
      const past = await this.#ask(botOf(bot), (store) => readMarketPast(store, ticker, { fromUs, toUs }));
      return context.json(pastChart(past, { fromUs, toUs, points }), 200);
    });
    this.#addSums(app);
  };

  #addSums(app: ConsoleApp): void {
    const botOf = (name: string): ConsoleBot => botNamed(this.#bots, name);
    app.openapi(routes.historyPositionsRoute, async (context) => {
      const query = context.req.valid('query');
      const rows = await this.#ask(botOf(context.req.valid('param').bot), (store) => listHeld(store, query));
      return (
        fileOf({ name: 'positions', columns: HELD_COLUMNS, rows }, query) ?? context.json({ rows, next: null }, 200)
      );
    });
    app.openapi(routes.historyProfitRoute, async (context) => {
      const query = context.req.valid('query');
      const rows = await this.#ask(botOf(context.req.valid('param').bot), (store) =>
        sumProfit(store, query.by, filterOf(query)),
      );
      return (
        fileOf({ name: 'pnl', columns: profitColumns(query.by), rows: rows }, query) ??
        context.json({ rows, next: null }, 200)
      );
    });
    app.openapi(routes.historyFeesRoute, async (context) => {
      const query = context.req.valid('query');
      const rows = await this.#ask(botOf(context.req.valid('param').bot), (store) =>
        sumFees(store, query.by, filterOf(query)),
      );
      return (
        fileOf({ name: 'fees', columns: FEE_COLUMNS, rows: rows }, query) ?? context.json({ rows, next: null }, 200)
      );
    });
    app.openapi(routes.historyAlarmsRoute, async (context) => {
      const query = context.req.valid('query');
      const kinds = query.kind?.split(',') ?? [];
      const found = await this.#ask(botOf(context.req.valid('param').bot), (store) =>
        questions.listTimeline(store, { ...filterOf(query), kinds }, pageOf(query)),
      );
      return (
        fileOf({ name: 'alarms', columns: TIMELINE_COLUMNS, rows: found.rows }, query) ??
        context.json(copyOf(found), 200)
      );
    });
  }

  /** Asks the history of a bot, after the earlier questions. @throws {ProblemFault} when the history cannot be read. */
  async #ask<Answer>(bot: ConsoleBot, question: (store: HistoryStore) => Answer): Promise<Answer> {
    const before = this.#latest.get(bot.name) ?? Promise.resolve();
    const asked = before.then(() => askHistory({ dataFolder: bot.dataFolder }, question));
    this.#latest.set(
      bot.name,
      asked.catch(() => undefined),
    );
    try {
      return (await asked).answer;
    } catch (fault) {
      if (fault instanceof CursorFault) throw new ProblemFault('invalid', fault.message);
      this.#log.error({ err: fault, bot: bot.name }, 'the history could not be read');
      throw new ProblemFault('no-history', 'the history could not be read: the console’s log says why');
    }
  }
}

function filterOf({ from, to, strategy, market, session }: HistoryQuery): HistoryFilter {
  return {
    ...(from !== undefined && { fromUs: from }),
    ...(to !== undefined && { toUs: to }),
    ...(strategy !== undefined && { strategy }),
    ...(market !== undefined && { market }),
    ...(session !== undefined && { session }),
  };
}

/** A file has every row. */
function pageOf({ limit, cursor, format }: HistoryQuery): PageRequest {
  return format === 'json' ? { limit, ...(cursor !== undefined && { cursor }) } : {};
}

const copyOf = <Row>({ rows, next }: HistoryPage<Row>): { rows: Row[]; next: string | null } => ({
  rows: [...rows],
  next,
});

interface RowsFile<Row> {
  readonly name: string;
  readonly columns: readonly HistoryColumn<Row>[];
  readonly rows: readonly Row[];
}

function fileOf<Row>({ name, columns, rows }: RowsFile<Row>, { format }: HistoryQuery): Response | null {
  const headers = (type: string, ending: string): Record<string, string> => ({
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${name}.${ending}"`,
  });
  switch (format) {
    case 'json':
      return null;
    case 'csv': {
      const lines = [...csvLines(columns, rows)];
      return new Response(`${lines.join('\r\n')}\r\n`, { headers: headers('text/csv; charset=utf-8', 'csv') });
    }
    case 'parquet':
      return new Response(parquetOf(columns, rows), { headers: headers('application/vnd.apache.parquet', 'parquet') });
  }
}

function parquetOf<Row>(columns: readonly HistoryColumn<Row>[], rows: readonly Row[]): Uint8Array<ArrayBuffer> {
  const folder = mkdtempSync(join(tmpdir(), 'presage-parquet-'));
  try {
    const file = join(folder, 'rows.parquet');
    writeParquet(file, columns, rows);
    return new Uint8Array(readFileSync(file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
