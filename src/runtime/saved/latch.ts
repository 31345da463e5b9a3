// Small files in the data folder that outlive a session: halts, loss figures, overrides, strategy ledgers, sessions.
// Each halt has its own file, so that bot, watchdog and command line can all write. Must never treat an unusable file
// as "no halt".
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { oneLine } from '../../base/one-line.ts';
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

/** A file, link or folder of this name halts the account. The text of the file is the reason. */
export const HALT_FILE = 'HALT';
const HALT_PREFIX = 'halt.';
const LOSSES_FILE = 'losses.json';
const OVERRIDES_FILE = 'overrides.json';
/** Holds the strategy ledgers. */
const LEDGERS_FILE = 'books.json';
/** Holds the sessions that ran here, oldest first. */
const SESSIONS_FILE = 'sessions.json';
/**
 * Most sessions that are recorded. Each session cancels the orders of earlier sessions at its start, so older sessions
 * have no orders left.
 */
const SESSIONS_MAX = 200;
const REASON_LENGTH_MAX = 500;
/** Longest name of a strategy or market that can be halted. Characters. */
export const SCOPE_NAME_MAX = 255;
/**
 * Longest file name for every file system, in bytes, less the suffix with which earlier versions wrote a file: a halt keeps
 * its name.
 */
const FILE_NAME_MAX = 255 - '.new'.length;
const FILE_BYTES_MAX = 10_000_000;

/** Two changes this close together may show the same time: clocks of file systems are coarse, and differ from ours. */
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
const daySchema = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const lossesSchema = z.strictObject({
  day: daySchema,
  dayEquity: z.int().transform(money),
  dayMarkEquity: z.int().transform(money).exactOptional(),
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
  dayMarkets: z
    .strictObject({
      day: daySchema,
      profits: z.array(z.strictObject({ ticker: holdingSchema.shape.ticker, profit: z.int().transform(money) })),
    })
    .exactOptional(),
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
  /** Halts at the last read of the folder, by file name. A file is read only once, because a halt does not change. */
  #haltsByFile = new Map<string, Halt>();
  #changedAtMs: number | null = null;

  constructor(storage: Storage, now: () => Micros) {
    this.#storage = storage;
    this.#now = now;
  }

  /**
   * Returns every halt in force. An unreadable halt file halts the account, and the problem is the reason. The file `HALT`
   * is left out where it only repeats a saved halt, which has a time.
   */
  readHalts(): readonly Halt[] {
    const names = this.#storage.listNames().filter(isHaltFile);
    names.sort((a, b) => Number(a === HALT_FILE) - Number(b === HALT_FILE));
    this.#haltsByFile = new Map(names.map((name) => [name, this.#haltsByFile.get(name) ?? this.#readHalt(name)]));
    const halts = [...this.#haltsByFile.values()];
    const plain = this.#haltsByFile.get(HALT_FILE);
    const isRepeated = halts.some((halt) => halt !== plain && plain !== undefined && isSameHalt(halt, plain));
    return isRepeated ? halts.filter((halt) => halt !== plain) : halts;
  }

  /** Reads the folder again if it may have changed. This runs before new orders, so it must be cheap. */
  refreshHalts(): void {
    const changedAtMs = this.#storage.changedAtMs();
    const isOld = changedAtMs !== null && this.#now() / 1000 - changedAtMs > TIMES_APART_MS;
    if (isOld && changedAtMs === this.#changedAtMs) return;
    this.readHalts();
    this.#changedAtMs = changedAtMs;
  }

  /** Returns a halt that blocks an order, by the last read of the files. */
  blockingHalt(strategy: StrategyName, market: Ticker): Halt | null {
    for (const halt of this.#haltsByFile.values()) if (isInHaltScope(halt.scope, strategy, market)) return halt;
    return null;
  }

  /** Writes a halt, which then survives a crash of the machine. The first reason for a scope and source is kept. */
  writeHalt(halt: Halt): void {
    const name = fileOf(halt);
    const isSaved = this.#storage.listNames().includes(name);
    // Another process may have lifted the halt that this one knows.
    const known = isSaved ? this.#haltsByFile.get(name) : undefined;
    const isReworded = known !== undefined && halt.by === 'operator' && halt.reason !== known.reason;
    if (isSaved && !isReworded) return;
    const written = known === undefined ? halt : { ...halt, since: known.since };
    this.#storage.replaceFile(name, bytesOf(written));
    this.#haltsByFile.set(name, written);
  }

  /**
   * Writes the file `HALT`, which a person may also create by hand. It halts a running bot, and any bot that starts
   * later.
   */
  writeHaltFile(reason: string): void {
    // A folder or link of that name halts already, and a file cannot replace a folder.
    const isTaken = this.#storage.listNames().includes(HALT_FILE) && !this.#storage.listFiles().includes(HALT_FILE);
    if (isTaken) return;
    this.#storage.replaceFile(HALT_FILE, new TextEncoder().encode(`${reason}\n`));
  }

  /**
   * Lifts every halt of exactly this scope, and returns the lifted halts. An unreadable halt file has the scope of the
   * account.
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
    // Other unreadable files halt, too. Their contents are lost anyway, so they are removed with the account's halts.
    if (scope.type === 'account') for (const [name] of this.#unreadable()) this.#storage.removeEntry(name);
    return lifted;
  }

  /** Saves the figures from which loss limits are calculated. */
  writeLosses(losses: LossBaseline): void {
    this.#storage.replaceFile(LOSSES_FILE, bytesOf(losses));
  }

  writeLedgers(books: SavedLedgers): void {
    this.#storage.replaceFile(LEDGERS_FILE, new TextEncoder().encode(`${JSON.stringify(books)}\n`));
  }

  /** Records a session and its strategies, before its first order is sent. */
  writeSession(session: SessionStrategies): void {
    // An unreadable file halts until a person has looked at it, so it is not overwritten.
    if (this.#readFile(SESSIONS_FILE, sessionsSchema) instanceof Error) return;
    this.#storage.replaceFile(SESSIONS_FILE, bytesOf([...this.readSessions(), session].slice(-SESSIONS_MAX)));
  }

  /**
   * Returns the sessions that ran here, oldest first. When their file cannot be read, only the session of the ledgers
   * is known.
   */
  readSessions(): readonly SessionStrategies[] {
    const saved = this.#readFile(SESSIONS_FILE, sessionsSchema);
    const known = saved === null || saved instanceof Error ? [] : saved;
    const books = this.#readFile(LEDGERS_FILE, ledgersSchema);
    if (books === null || books instanceof Error) return known;
    const { session, strategies } = books;
    return known.some((row) => row.session === session) ? known : [{ session, strategies }, ...known];
  }

  writeOverrides(overrides: readonly LimitOverride[]): void {
    this.#storage.replaceFile(OVERRIDES_FILE, bytesOf(overrides));
  }

  /** Returns the saved overrides; none where their file cannot be read. */
  readOverrides(): readonly LimitOverride[] {
    const overrides = this.#readFile(OVERRIDES_FILE, z.array(overrideSchema));
    return overrides === null || overrides instanceof Error ? [] : overrides;
  }

  /** Returns everything that a new session must know, including what a crashed session left. */
  readRestoredState(remains: UnresolvedState): RestoredState {
    const losses = this.#readFile(LOSSES_FILE, lossesSchema);
    const books = this.#readFile(LEDGERS_FILE, ledgersSchema);
    return {
      halts: [...this.readHalts(), ...this.#unreadable().map(([, fault]) => this.#haltFor(fault))],
      ...remains,
      losses: losses instanceof Error ? null : losses,
      overrides: this.readOverrides(),
      ...(books !== null && !(books instanceof Error) && { books }),
      sessions: this.readSessions().map(({ session }) => session),
    };
  }

  /** Returns the unusable files other than halts, each with its problem. */
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

  /** Any content halts: the existence of the file is enough. */
  #readHaltFile(): Halt {
    const text = this.#readText(HALT_FILE);
    const reason = text instanceof Error || text === null ? '' : oneLine(text).trim().slice(0, REASON_LENGTH_MAX);
    return { scope: ACCOUNT, by: 'operator', reason: reason || `the file ${HALT_FILE} exists`, since: this.#now() };
  }

  #haltFor(fault: Error): Halt {
    return { scope: ACCOUNT, by: 'fault', reason: fault.message, since: this.#now() };
  }

  /** Returns `null` for a missing file, and an error for an unusable file. */
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

const isSameHalt = (a: Halt, b: Halt): boolean =>
  scopeKey(a.scope) === scopeKey(b.scope) && a.by === b.by && a.reason === b.reason;

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
