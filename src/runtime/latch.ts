// What must outlive a session, as small files in its data folder: halts, loss figures, overrides. Each halt is a file of
// its own, so that bot, watchdog and command line may all write. Must never read a file that it cannot use as "no halt".
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SessionStrategies } from '../domain/client-order-id.ts';
import { type StrategyName, type Ticker, strategyName, ticker, venueOrderId } from '../domain/ids.ts';
import type {
  CarriedOver,
  Halt,
  HaltScope,
  HaltedBy,
  KeptBooks,
  LossStanding,
  Override,
  Remains,
} from '../domain/operator.ts';
import { type Micros, micros, money, qty } from '../domain/units.ts';
import { isWithin, scopeKey } from '../execution/halts.ts';
import type { Storage } from '../tape/storage.ts';

/** Whatever bears this name halts the account: a file, whose text is the reason, a link, a folder. */
export const HALT_FILE = 'HALT';
const HALT_PREFIX = 'halt.';
const LOSSES_FILE = 'losses.json';
const OVERRIDES_FILE = 'overrides.json';
/** What the strategies hold. */
const BOOKS_FILE = 'books.json';
/** The sessions that ran here, oldest first. */
const SESSIONS_FILE = 'sessions.json';
/** A start cancels what earlier sessions left: of those long past nothing rests. */
const SESSIONS_MAX = 200;
const REASON_LENGTH_MAX = 500;
/** Characters in the name of a strategy or a market that is halted. */
export const SCOPE_NAME_MAX = 255;
/** Bytes in a file's name that every file system takes, with room for the ending that a new file has for a moment. */
const FILE_NAME_MAX = 255 - '.new'.length;
const FILE_BYTES_MAX = 10_000_000;

/** Two changes so close to each other may bear one time: clocks of disks are coarse, and not quite ours. */
const TIMES_APART_MS = 2000;

const ACCOUNT = { type: 'account' } as const satisfies HaltScope;

const momentSchema = z.int().transform(micros);
const scopeName = z.string().min(1).max(SCOPE_NAME_MAX);
export const scopeSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('account') }),
  z.strictObject({ type: z.literal('strategy'), strategy: scopeName.transform(strategyName) }),
  z.strictObject({ type: z.literal('market'), ticker: scopeName.transform(ticker) }),
]);
const haltSchema = z.strictObject({
  scope: scopeSchema,
  by: z.enum(['operator', 'risk', 'watchdog', 'fault']),
  reason: z.string(),
  since: momentSchema,
});
const lossesSchema = z.strictObject({
  day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  dayEquity: z.int().transform(money),
  peakEquity: z.int().transform(money),
});
const name = z.string().min(1).transform(strategyName);
const sessionsSchema: z.ZodType<readonly SessionStrategies[]> = z.array(
  z.strictObject({ session: z.string().min(1), strategies: z.array(name) }),
);
const heldSchema = z.strictObject({
  ticker: z.string().min(1).transform(ticker),
  qty: z.int().transform(qty),
  cost: z.int().transform(money),
});
const booksSchema: z.ZodType<KeptBooks> = z.strictObject({
  at: momentSchema,
  session: z.string(),
  strategies: z.array(name),
  books: z.array(
    z.strictObject({
      strategy: name,
      realized: z.int().transform(money),
      fees: z.int().transform(money),
      losses: z.union([z.null(), lossesSchema]),
      positions: z.array(heldSchema),
    }),
  ),
  others: z.array(heldSchema.omit({ cost: true })),
  orders: z.array(z.strictObject({ venueOrderId: z.string().min(1).transform(venueOrderId), strategy: name })),
  fills: z.array(z.string()),
});
export const overrideSchema = z.strictObject({
  limit: z.string().min(1),
  value: z.number(),
  strategy: z.union([z.null(), z.string().min(1).transform(strategyName)]),
  until: momentSchema,
  reason: z.string().min(1),
});

/** The files' keeper. Every method may throw a `StorageFault` when the folder cannot be used. */
export class Latch {
  readonly #storage: Storage;
  readonly #now: () => Micros;
  /** What the files said, by name: a halt's file is written once and never changed. */
  #read = new Map<string, Halt>();
  #changedAtMs: number | null = null;

  constructor(storage: Storage, now: () => Micros) {
    this.#storage = storage;
    this.#now = now;
  }

  /** Every halt that is in force; a file that cannot be read halts the account, and says so. */
  halts(): readonly Halt[] {
    const names = this.#storage.names().filter(isHaltFile);
    this.#read = new Map(names.map((name) => [name, this.#read.get(name) ?? this.#readHalt(name)]));
    return [...this.#read.values()];
  }

  /** Reads the folder again if it may have changed: what is asked before every order that leaves must be cheap. */
  refresh(): void {
    const changedAtMs = this.#storage.changedAtMs();
    const isOld = changedAtMs !== null && this.#now() / 1000 - changedAtMs > TIMES_APART_MS;
    if (isOld && changedAtMs === this.#changedAtMs) return;
    this.halts();
    this.#changedAtMs = changedAtMs;
  }

  /** The halt, of those that the files held when they were last read, that keeps an order from leaving. */
  blocking(strategy: StrategyName, market: Ticker): Halt | null {
    for (const halt of this.#read.values()) if (isWithin(halt.scope, strategy, market)) return halt;
    return null;
  }

  /** Writes a halt down; when it returns, a crash of the machine does not lift it. The first word of each stands. */
  write(halt: Halt): void {
    const name = fileOf(halt);
    if (this.#storage.names().includes(name)) return;
    this.#storage.replace(name, bytesOf(halt));
    this.#read.set(name, halt);
  }

  /** Writes the halt that anybody may write: the file by itself closes the gate, whether or not a bot looks. */
  writeHaltFile(reason: string): void {
    // What bears that name and is no plain file halts already; no file can take the place of a folder.
    const isTaken = this.#storage.names().includes(HALT_FILE) && !this.#storage.list().includes(HALT_FILE);
    if (isTaken) return;
    this.#storage.replace(HALT_FILE, new TextEncoder().encode(`${reason}\n`));
  }

  /** Lifts every halt of exactly this scope; the account's also where its file cannot be read. Returns what it lifted. */
  lift(scope: HaltScope): readonly Halt[] {
    this.halts();
    const lifted: Halt[] = [];
    for (const [name, halt] of this.#read) {
      if (scopeKey(halt.scope) !== scopeKey(scope)) continue;
      this.#storage.remove(name);
      this.#read.delete(name);
      lifted.push(halt);
    }
    // What cannot be read halts too, and is lifted with the account: its old content is no use to anyone.
    if (scope.type === 'account') for (const [name] of this.#unreadable()) this.#storage.remove(name);
    return lifted;
  }

  /** Keeps the figures that loss limits are reckoned from. */
  writeLosses(losses: LossStanding): void {
    this.#storage.replace(LOSSES_FILE, bytesOf(losses));
  }

  /** Keeps what the strategies hold. */
  writeBooks(books: KeptBooks): void {
    this.#storage.replace(BOOKS_FILE, new TextEncoder().encode(`${JSON.stringify(books)}\n`));
  }

  /** Keeps that a session begins, with its strategies: before its first order leaves. */
  writeSession(session: SessionStrategies): void {
    // What cannot be read halts until a person has looked: it stays as it is.
    if (this.#readFile(SESSIONS_FILE, sessionsSchema) instanceof Error) return;
    this.#storage.replace(SESSIONS_FILE, bytesOf([...this.sessions(), session].slice(-SESSIONS_MAX)));
  }

  /** The sessions that ran here, oldest first; where their file cannot be read, the one that kept the books. */
  sessions(): readonly SessionStrategies[] {
    const kept = this.#readFile(SESSIONS_FILE, sessionsSchema);
    const known = kept === null || kept instanceof Error ? [] : kept;
    const books = this.#readFile(BOOKS_FILE, booksSchema);
    if (books === null || books instanceof Error) return known;
    const { session, strategies } = books;
    return known.some((one) => one.session === session) ? known : [{ session, strategies }, ...known];
  }

  /** Keeps the overrides in force. */
  writeOverrides(overrides: readonly Override[]): void {
    this.#storage.replace(OVERRIDES_FILE, bytesOf(overrides));
  }

  /** All that a new session must know, with what a dead one left. */
  carried(remains: Remains): CarriedOver {
    const losses = this.#readFile(LOSSES_FILE, lossesSchema);
    const overrides = this.#readFile(OVERRIDES_FILE, z.array(overrideSchema));
    const books = this.#readFile(BOOKS_FILE, booksSchema);
    return {
      halts: [...this.halts(), ...this.#unreadable().map(([, fault]) => this.#distrust(fault))],
      ...remains,
      losses: losses instanceof Error ? null : losses,
      overrides: overrides === null || overrides instanceof Error ? [] : overrides,
      ...(books !== null && !(books instanceof Error) && { books }),
      sessions: this.sessions().map(({ session }) => session),
    };
  }

  /** Files besides halts that are there and cannot be used, each with what is wrong with it. */
  #unreadable(): (readonly [string, Error])[] {
    const files = [
      [LOSSES_FILE, this.#readFile(LOSSES_FILE, lossesSchema)],
      [OVERRIDES_FILE, this.#readFile(OVERRIDES_FILE, z.array(overrideSchema))],
      [BOOKS_FILE, this.#readFile(BOOKS_FILE, booksSchema)],
      [SESSIONS_FILE, this.#readFile(SESSIONS_FILE, sessionsSchema)],
    ] as const;
    return files.flatMap(([name, content]) => (content instanceof Error ? [[name, content] as const] : []));
  }

  #readHalt(name: string): Halt {
    if (name === HALT_FILE) return this.#readHaltFile();
    const halt = this.#readFile(name, haltSchema);
    if (halt === null) return this.#distrust(new Error(`${name} vanished while it was read`));
    return halt instanceof Error ? this.#distrust(halt) : halt;
  }

  /** Whatever it holds, it halts: its being there is the order. */
  #readHaltFile(): Halt {
    const text = this.#textOf(HALT_FILE);
    const reason = text instanceof Error || text === null ? '' : text.trim().slice(0, REASON_LENGTH_MAX);
    return { scope: ACCOUNT, by: 'operator', reason: reason || `the file ${HALT_FILE} is there`, since: this.#now() };
  }

  #distrust(fault: Error): Halt {
    return { scope: ACCOUNT, by: 'fault', reason: fault.message, since: this.#now() };
  }

  /** What a file holds; `null` when it is not there, an error in words when it cannot be used. */
  #readFile<Value>(name: string, schema: z.ZodType<Value>): Value | null | Error {
    const text = this.#textOf(name);
    if (text === null || text instanceof Error) return text;
    const parsed = schema.safeParse(parseJson(text));
    return parsed.success ? parsed.data : new Error(`${this.#storage.place}: ${name} is damaged and cannot be read`);
  }

  #textOf(name: string): string | null | Error {
    try {
      if (!this.#storage.names().includes(name)) return null;
      if (!this.#storage.list().includes(name)) return new Error(`${this.#storage.place}: ${name} is no plain file`);
      return new TextDecoder().decode(this.#storage.read(name, 0, Math.min(FILE_BYTES_MAX, this.#storage.size(name))));
    } catch (fault) {
      return fault instanceof Error ? fault : new Error(String(fault));
    }
  }
}

const isHaltFile = (name: string): boolean => name === HALT_FILE || name.startsWith(HALT_PREFIX);

function fileOf({ scope, by }: Halt): string {
  const key = scopeKey(scope);
  const name = haltFileName(encodeURIComponent(key).replace('%3D', '='), by);
  if (name.length <= FILE_NAME_MAX) return name;
  return haltFileName(`${scope.type}=${createHash('sha256').update(key).digest('hex')}`, by);
}

const haltFileName = (scope: string, by: HaltedBy): string => `${HALT_PREFIX}${scope}.${by}.json`;

const bytesOf = (value: object): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
