// A console on a port of this machine with bots made in the test, and a client that sends requests byte by byte.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logTo } from '../../../src/log.ts';
import { consoleConfigSchema } from '../../../src/config/console-config.ts';
import { BotFolder } from '../../../src/console/bots/bot-folder.ts';
import { ConsoleBot } from '../../../src/console/bots/console-bot.ts';
import { AlertHandlers } from '../../../src/console/controls/alert-handlers.ts';
import { ControlHandlers } from '../../../src/console/controls/control-handlers.ts';
import { type ConsoleApp, openApiDocument } from '../../../src/console/server/console-app.ts';
import { ConsoleServer } from '../../../src/console/server/console-server.ts';
import { HistoryHandlers } from '../../../src/console/server/history-handlers.ts';
import { WhyHandlers } from '../../../src/console/server/why-handlers.ts';
import { makeSecret } from '../../../src/console/security/token-file.ts';
import { DescribedApi } from './described-api.ts';
import { MadeBot } from './made-bot.ts';

/** An answer as it arrived. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface ConsoleSiteOptions {
  readonly markets?: number;
  /** Members of the settings. */
  readonly settings?: object;
  /** Serves the controls, too. */
  readonly withControls?: boolean;
  /** Serves every route: controls, history, why, test alerts. */
  readonly isWhole?: boolean;
  /** The bot's data folder. Default: one that is made, and removed at the end. */
  readonly dataFolder?: string;
  /** The bot's config. Default: none. */
  readonly config?: ConsoleBot['config'];
}

/** A console with one made bot. */
export class ConsoleSite {
  readonly folder: string;
  readonly server: ConsoleServer;
  readonly source: MadeBot;
  readonly bot: ConsoleBot;
  readonly tokens: { readonly operator: string; readonly reader: string; readonly scrape: string };
  readonly log: string[];
  nowMs: number;
  #api: DescribedApi | null = null;

  private constructor(
    fields: Pick<ConsoleSite, 'folder' | 'server' | 'source' | 'bot' | 'tokens' | 'log'>,
    nowMs: number,
  ) {
    ({
      folder: this.folder,
      server: this.server,
      source: this.source,
      bot: this.bot,
      tokens: this.tokens,
      log: this.log,
    } = fields);
    this.nowMs = nowMs;
  }

  static async open({
    markets = 3,
    settings = {},
    withControls = false,
    isWhole = false,
    dataFolder,
    config: botConfig = null,
  }: ConsoleSiteOptions = {}): Promise<ConsoleSite> {
    const folder = mkdtempSync(join(tmpdir(), 'presage-console-'));
    const tokens = { operator: makeSecret(), reader: makeSecret(), scrape: makeSecret() };
    const tokenFile = join(folder, 'console.token');
    const lines = Object.entries(tokens).map(([role, token]) => `${role}-name ${role} ${token}\n`);
    writeFileSync(tokenFile, lines.join(''), { mode: 0o600 });
    const pageFolder = join(folder, 'page');
    const log: string[] = [];
    const source = new MadeBot(markets);
    let site: ConsoleSite | null = null;
    const nowMs = (): number => site?.nowMs ?? Date.now();
    const bot = new ConsoleBot({
      name: 'made',
      dataFolder: dataFolder ?? folder,
      config: botConfig,
      source,
      folder: new BotFolder(dataFolder ?? folder, { needsWatchdog: false }),
      nowMs,
    });
    const config = consoleConfigSchema.parse({ listen: '127.0.0.1:0', ...settings });
    const controlLog = logTo({ write: (line: string) => void log.push(line) });
    const bots = [bot];
    const controls = withControls || isWhole ? new ControlHandlers({ bots, log: controlLog, nowMs }) : null;
    const handlers = isWhole
      ? [
          new HistoryHandlers(bots, controlLog),
          new WhyHandlers({ bots, log: controlLog, nowMs }),
          new AlertHandlers(bots, controlLog),
        ]
      : [];
    const addRoutes = (app: ConsoleApp): void => handlers.forEach(({ addTo }) => addTo(app));
    const server = await ConsoleServer.open({
      config,
      tokenFile,
      pageFolder,
      bots,
      log: logTo({ write: (line: string) => void log.push(line) }),
      nowMs,
      addRoutes: (app) => [controls?.addTo, addRoutes].forEach((add) => add?.(app)),
      ...(controls && { onRefused: controls.onRefused }),
    });
    site = new ConsoleSite({ folder, server, source, bot, tokens, log }, Date.now());
    return site;
  }

  get port(): number {
    return Number(new URL(this.server.url).port);
  }

  /** The port that the server listens on; 0 for a unix socket. */
  get listeningPort(): number {
    return this.server.port;
  }

  /** The headers of a request of the console's own page with a login. */
  pageHeaders(cookie: string): Record<string, string> {
    return {
      Cookie: cookie,
      Origin: this.server.url,
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': 'application/json',
    };
  }

  /** Logs in as a role. Returns the cookie as the browser sends it. */
  async logIn(role: 'operator' | 'reader'): Promise<string> {
    const answer = await fetch(`${this.server.url}/api/v1/session`, {
      method: 'POST',
      headers: { Origin: this.server.url, 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: this.tokens[role] }),
    });
    if (answer.status !== 204) throw new Error(`login failed: ${answer.status} ${await answer.text()}`);
    return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  }

  /** The description that this console publishes. */
  get api(): DescribedApi {
    this.#api ??= new DescribedApi(openApiDocument(this.server.app));
    return this.#api;
  }

  /** Reads with a bearer. Every answer of the API must fit its description. */
  async read(path: string, role: 'operator' | 'reader' | 'scrape' = 'reader'): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.tokens[role]}` };
    const answer = await fetch(`${this.server.url}${path}`, { headers });
    if (path.startsWith('/api/v1') && !path.includes('openapi.json')) await this.api.checkAnswer('GET', path, answer);
    return answer;
  }

  /** Posts, patches or deletes as an operator. The answer must fit its description. */
  async send(method: string, path: string, body: object): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.tokens.operator}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${this.server.url}${path}`, { method, headers, body: JSON.stringify(body) });
    await this.api.checkAnswer(method, path, answer);
    return answer;
  }

  /** Sends a request as text, and returns the first answer. */
  raw(text: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1');
      let received = '';
      socket.setEncoding('utf8').on('data', (part: string) => (received += part));
      socket.on('error', reject);
      socket.on('close', () => resolve(parseAnswer(received)));
      socket.write(text);
      socket.setTimeout(20_000, () => socket.destroy());
    });
  }

  async close(): Promise<void> {
    this.bot.close();
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.split(':')[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, text: rest.join('\r\n\r\n') };
}

/** The text of a file. */
export const textOf = (file: string): string => readFileSync(file, 'utf8');
