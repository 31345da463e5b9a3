// Small files in the data folder that outlive a session: halts, loss figures, overrides, strategy ledgers, sessions.
// Each halt has its own file, so that bot, watchdog and command line can all write. Must never treat a file that it
// cannot use as "no halt".
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SessionStrategies } from '../../domain/orders/client-order-id.ts';
import { type StrategyName, type Ticker, strategyName, ticker, venueOrderId } from '../../domain/ids.ts';
import type {
  RestoredState,
  Halt,
  HaltScope,
  HaltedBy,
  SavedLedgers,
  LossBaseline,
  LimitOverride,
  UnresolvedState,
} from '../../domain/operator-order.ts';
import { type Micros, micros, money, qty } from '../../domain/units.ts';
import { isInHaltScope, scopeKey } from '../../execution/operator/halts.ts';
import type { Storage } from '../../tape/journal/storage.ts';

/** Anything with this name halts the account. It may be a file, whose text is the reason, a link, or a folder. */
export const HALT_FILE = 'HALT';
const HALT_PREFIX = 'halt.';
const LOSSES_FILE = 'losses.json';
const OVERRIDES_FILE = 'overrides.json';
/** The strategy ledgers. */
const LEDGERS_FILE = 'books.json';
/** The sessions that ran here, oldest first. */
const SESSIONS_FILE = 'sessions.json';
/**
 * Maximum number of sessions that are recorded. Each session cancels at its start what earlier ones left, so older
 * sessions have no orders left.
 */
const SESSIONS_MAX = 200;
const REASON_LENGTH_MAX = 500;
/** Longest name of a strategy or market that can be halted. Characters. */
export const SCOPE_NAME_MAX = 255;
/** Longest file name that every file system accepts, less the suffix that a new file has for a moment. Bytes. */
const FILE_NAME_MAX = 255 - '.new'.length;
const FILE_BYTES_MAX = 10_000_000;

/**
 * Two changes this close together may have the same time: file system clocks are coarse and differ slightly from ours.
 */
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
const holdingSchema = z.strictObject({
  ticker: z.string().min(1).transform(ticker),
  qty: z.int().transform(qty),
  cost: z.int().transform(money),
});
const ledgersSchema: z.ZodType<SavedLedgers> = z.strictObject({
  at: momentSchema,
  session: z.string(),
  strategies: z.array(name),
  books: z.array(
    z.strictObject({
      strategy: name,
      realized: z.int().transform(money),
      fees: z.int().transform(money),
      losses: z.union([z.null(), lossesSchema]),
      positions: z.array(holdingSchema),
    }),
  ),
  others: z.array(holdingSchema.omit({ cost: true })),
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

/** Reads and writes the files. Every method may throw a `StorageFault` when the folder cannot be used. */
export class Latch {
  readonly #storage: Storage;
  readonly #now: () => Micros;
  /** Halts in force when the folder was last read, by file name. A file is read only once: a halt does not change. */
  #haltsByFile = new Map<string, Halt>();
  #changedAtMs: number | null = null;

  constructor(storage: Storage, now: () => Micros) {
    this.#storage = storage;
    this.#now = now;
  }

  /**
   * Returns every halt in force. A halt's file that cannot be read halts the account, and its problem is the reason.
   */
  readHalts(): readonly Halt[] {
    const names = this.#storage.listNames().filter(isHaltFile);
    this.#haltsByFile = new Map(names.map((name) => [name, this.#haltsByFile.get(name) ?? this.#readHalt(name)]));
    return [...this.#haltsByFile.values()];
  }

  /** Reads the folder again if it may have changed. This runs before every new order, so it must be cheap. */
  refreshHalts(): void {
    const changedAtMs = this.#storage.changedAtMs();
    const isOld = changedAtMs !== null && this.#now() / 1000 - changedAtMs > TIMES_APART_MS;
    if (isOld && changedAtMs === this.#changedAtMs) return;
    this.readHalts();
    this.#changedAtMs = changedAtMs;
  }

  /** Returns a halt that blocks an order, of those found when the files were last read. */
  blockingHalt(strategy: StrategyName, market: Ticker): Halt | null {
    for (const halt of this.#haltsByFile.values()) if (isInHaltScope(halt.scope, strategy, market)) return halt;
    return null;
  }

  /**
   * Writes a halt. Once this returns, the halt survives a crash of the machine. The first reason written for a scope
   * and source is kept.
   */
  writeHalt(halt: Halt): void {
    const name = fileOf(halt);
    if (this.#storage.listNames().includes(name)) return;
    this.#storage.replaceFile(name, bytesOf(halt));
    this.#haltsByFile.set(name, halt);
  }

  /**
   * Writes the halt file, which a person may also create by hand. It halts a running bot, and any bot that starts
   * later.
   */
  writeHaltFile(reason: string): void {
    // Something else of that name halts already, and a file cannot replace a folder.
    const isTaken = this.#storage.listNames().includes(HALT_FILE) && !this.#storage.listFiles().includes(HALT_FILE);
    if (isTaken) return;
    this.#storage.replaceFile(HALT_FILE, new TextEncoder().encode(`${reason}\n`));
  }

  /**
   * Lifts every halt of exactly this scope; the account's scope includes halts whose file cannot be read. Returns the
   * lifted halts.
   */
  liftHalts(scope: HaltScope): readonly Halt[] {
    this.readHalts();
    const lifted: Halt[] = [];
    for (const [name, halt] of this.#haltsByFile) {
      if (scopeKey(halt.scope) !== scopeKey(scope)) continue;
      this.#storage.removeEntry(name);
      this.#haltsByFile.delete(name);
      lifted.push(halt);
    }
    // An unreadable file of another kind halts, too. It is removed with the account's halts: its content is of no
    // further use.
    if (scope.type === 'account') for (const [name] of this.#unreadable()) this.#storage.removeEntry(name);
    return lifted;
  }

  /** Saves the figures from which loss limits are calculated. */
  writeLosses(losses: LossBaseline): void {
    this.#storage.replaceFile(LOSSES_FILE, bytesOf(losses));
  }

  /** Saves the strategy ledgers. */
  writeLedgers(books: SavedLedgers): void {
    this.#storage.replaceFile(LEDGERS_FILE, new TextEncoder().encode(`${JSON.stringify(books)}\n`));
  }

  /** Records that a session begins, with its strategies, before its first order is sent. */
  writeSession(session: SessionStrategies): void {
    // An unreadable file halts until a person has looked at it, so it is not overwritten.
    if (this.#readFile(SESSIONS_FILE, sessionsSchema) instanceof Error) return;
    this.#storage.replaceFile(SESSIONS_FILE, bytesOf([...this.readSessions(), session].slice(-SESSIONS_MAX)));
  }

  /**
   * Returns the sessions that ran here, oldest first. Where their file cannot be read, only the session that saved the
   * ledgers is known.
   */
  readSessions(): readonly SessionStrategies[] {
    const saved = this.#readFile(SESSIONS_FILE, sessionsSchema);
    const known = saved === null || saved instanceof Error ? [] : saved;
    const books = this.#readFile(LEDGERS_FILE, ledgersSchema);
    if (books === null || books instanceof Error) return known;
    const { session, strategies } = books;
    return known.some((row) => row.session === session) ? known : [{ session, strategies }, ...known];
  }

  /** Saves the overrides in force. */
  writeOverrides(overrides: readonly LimitOverride[]): void {
    this.#storage.replaceFile(OVERRIDES_FILE, bytesOf(overrides));
  }

  /** Returns everything that a new session must know, including what a crashed session left. */
  readRestoredState(remains: UnresolvedState): RestoredState {
    const losses = this.#readFile(LOSSES_FILE, lossesSchema);
    const overrides = this.#readFile(OVERRIDES_FILE, z.array(overrideSchema));
    const books = this.#readFile(LEDGERS_FILE, ledgersSchema);
    return {
      halts: [...this.readHalts(), ...this.#unreadable().map(([, fault]) => this.#haltFor(fault))],
      ...remains,
      losses: losses instanceof Error ? null : losses,
      overrides: overrides === null || overrides instanceof Error ? [] : overrides,
      ...(books !== null && !(books instanceof Error) && { books }),
      sessions: this.readSessions().map(({ session }) => session),
    };
  }

  /** Files other than halts that exist and cannot be used, each with its problem. */
  #unreadable(): (readonly [string, Error])[] {
    const files = [
      [LOSSES_FILE, this.#readFile(LOSSES_FILE, lossesSchema)],
      [OVERRIDES_FILE, this.#readFile(OVERRIDES_FILE, z.array(overrideSchema))],
      [LEDGERS_FILE, this.#readFile(LEDGERS_FILE, ledgersSchema)],
      [SESSIONS_FILE, this.#readFile(SESSIONS_FILE, sessionsSchema)],
    ] as const;
    return files.flatMap(([name, content]) => (content instanceof Error ? [[name, content] as const] : []));
  }

  #readHalt(name: string): Halt {
    if (name === HALT_FILE) return this.#readHaltFile();
    const halt = this.#readFile(name, haltSchema);
    if (halt === null) return this.#haltFor(new Error(`${name} disappeared while it was read`));
    return halt instanceof Error ? this.#haltFor(halt) : halt;
  }

  /** Reads the halt file. Any content halts: its existence is enough. */
  #readHaltFile(): Halt {
    const text = this.#readText(HALT_FILE);
    const reason = text instanceof Error || text === null ? '' : text.trim().slice(0, REASON_LENGTH_MAX);
    return { scope: ACCOUNT, by: 'operator', reason: reason || `the file ${HALT_FILE} exists`, since: this.#now() };
  }

  #haltFor(fault: Error): Halt {
    return { scope: ACCOUNT, by: 'fault', reason: fault.message, since: this.#now() };
  }

  /** Reads a file. Returns `null` when it does not exist, and an error when it cannot be used. */
  #readFile<Value>(name: string, schema: z.ZodType<Value>): Value | null | Error {
    const text = this.#readText(name);
    if (text === null || text instanceof Error) return text;
    const parsed = schema.safeParse(parseJson(text));
    return parsed.success ? parsed.data : new Error(`${this.#storage.path}: ${name} is damaged and cannot be read`);
  }

  #readText(name: string): string | null | Error {
    try {
      if (!this.#storage.listNames().includes(name)) return null;
      if (!this.#storage.listFiles().includes(name))
        return new Error(`${this.#storage.path}: ${name} is not a plain file`);
      return new TextDecoder().decode(
        this.#storage.readBytes(name, 0, Math.min(FILE_BYTES_MAX, this.#storage.sizeOf(name))),
      );
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
