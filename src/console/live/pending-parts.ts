// The parts of a bot's state that a reader has not received. A part is sent once, however often it changed. Pure. Must
// never grow with the number of changes.

/** One change of a bot's state. */
export interface PartChange {
  readonly parts: readonly ('session' | 'markets' | 'beat' | 'link')[];
  readonly detail?: string;
  readonly orders?: readonly string[];
  readonly firstEvent?: number;
  /** True: everything may have changed. */
  readonly isSnapshot?: boolean;
}

/** Most changed orders in a message. Above this number, the newest orders are sent instead. */
const ORDERS_MAX = 2000;

/** Collects changes for one reader. */
export class PendingParts {
  readonly #parts = new Set<PartChange['parts'][number]>();
  readonly #details = new Set<string>();
  readonly #orders = new Set<string>();
  #firstEvent: number | null = null;
  #isSnapshot = false;

  addChange(change: PartChange): void {
    for (const part of change.parts) this.#parts.add(part);
    if (change.detail !== undefined) this.#details.add(change.detail);
    for (const id of change.orders ?? []) if (this.#orders.size <= ORDERS_MAX) this.#orders.add(id);
    if (change.firstEvent !== undefined)
      this.#firstEvent = Math.min(this.#firstEvent ?? change.firstEvent, change.firstEvent);
    if (change.isSnapshot === true) this.#isSnapshot = true;
  }

  get isSnapshot(): boolean {
    return this.#isSnapshot;
  }

  hasPart(part: PartChange['parts'][number]): boolean {
    return this.#parts.has(part);
  }

  hasDetail(ticker: string): boolean {
    return this.#details.has(ticker);
  }

  /** Client order ids of changed orders; `null` when there are too many. */
  get orders(): readonly string[] | null {
    return this.#orders.size > ORDERS_MAX ? null : [...this.#orders];
  }

  get firstEvent(): number | null {
    return this.#firstEvent;
  }

  clear(): void {
    this.#parts.clear();
    this.#details.clear();
    this.#orders.clear();
    this.#firstEvent = null;
    this.#isSnapshot = false;
  }
}
