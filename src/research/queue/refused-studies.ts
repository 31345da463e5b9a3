// The studies that a worker cannot run, such as those of a strategy that it does not have: it leaves them to other workers. Must
// never refuse a study whose set-up has changed since.

/** Studies that are remembered. An older one is planned once more. */
const REFUSED_MAX = 100;

interface Refusal {
  /** The set-up as the queue had it. */
  readonly setup: string;
  readonly fault: Error;
  isShown: boolean;
}

/** Refusals of a worker by the hash of the study. */
export class RefusedStudies {
  readonly #refusals = new Map<string, Refusal>();

  /** Remembers why a study with a set-up is refused. */
  addRefusal(study: string, setup: string, fault: Error): void {
    this.#refusals.delete(study);
    this.#refusals.set(study, { setup, fault, isShown: false });
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size > REFUSED_MAX && oldest !== undefined) this.#refusals.delete(oldest);
  }

  /** Why a study is refused; `null` when it is not. */
  faultOf(study: string): Error | null {
    return this.#refusals.get(study)?.fault ?? null;
  }

  /** @throws the fault with which a study of this set-up was refused before. A study with another set-up is tried again. */
  throwKnown(study: string, setup: string): void {
    const refusal = this.#refusals.get(study);
    if (refusal?.setup === setup) throw refusal.fault;
    this.#refusals.delete(study);
  }

  /** Hashes of the refused studies. */
  get hashes(): string[] {
    return [...this.#refusals.keys()];
  }

  /** The reasons that were not shown before; each is given once. */
  takeReasons(): string[] {
    return [...this.#refusals.values()].flatMap((refusal) => {
      if (refusal.isShown) return [];
      refusal.isShown = true;
      return [refusal.fault.message];
    });
  }
}
