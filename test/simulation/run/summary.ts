// Figures of a run of many seeds, added up, as numbers and as text. Must never hide a failure among the figures.
import type { SimulationResult } from '../simulation.ts';
import { INVARIANTS } from '../oracle/verdict.ts';

/** A run so far. */
export class Summary {
  readonly #startedAt: number;
  readonly #totals = new Map<string, number>();
  readonly failures: SimulationResult[] = [];
  seeds = 0;
  #virtualMs = 0;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  addResult(outcome: SimulationResult): void {
    this.seeds += 1;
    this.#virtualMs += outcome.virtualMs;
    for (const [name, count] of Object.entries(outcome.counts))
      this.#totals.set(name, (this.#totals.get(name) ?? 0) + count);
    if (outcome.violation !== null) this.failures.push(outcome);
  }

  /** Figures of the run as of a time. */
  figures(now: number) {
    const seconds = (now - this.#startedAt) / 1000;
    const total = (prefix: string): Record<string, number> =>
      Object.fromEntries(
        [...this.#totals]
          .filter(([name]) => name.startsWith(`${prefix}: `))
          .map(([name, count]): [string, number] => [name.slice(prefix.length + 2), count])
          .sort(([, a], [, b]) => b - a),
      );
    return {
      seeds: this.seeds,
      failed: this.failures.length,
      seconds: Math.round(seconds),
      seedsPerHour: Math.round((this.seeds / seconds) * 3600),
      simulatedHours: Number((this.#virtualMs / 3_600_000).toFixed(1)),
      ...Object.fromEntries([...this.#totals].filter(([name]) => !name.includes(': ') && !name.startsWith('answer '))),
      answers: Object.fromEntries([...this.#totals].filter(([name]) => name.startsWith('answer '))),
      faults: total('fault'),
      spells: total('spell'),
      blows: total('blow'),
      denials: total('denied'),
      alarms: total('alarm'),
    };
  }

  /** The figures as text. */
  text(now: number): string {
    const lines: string[] = [];
    for (const [name, value] of Object.entries(this.figures(now))) {
      if (typeof value === 'number') lines.push(`${name.padEnd(20)} ${value.toLocaleString('en-US')}`);
      else lines.push(...tableOf(name, value));
    }
    return lines.join('\n');
  }
}

function tableOf(name: string, values: Readonly<Record<string, number>>): string[] {
  const parts = Object.entries(values).map(([key, count]) => `${key} ${count.toLocaleString('en-US')}`);
  if (parts.length === 0) return [];
  const lines: string[] = [];
  let line = name.padEnd(20);
  for (const part of parts) {
    if (line.length + part.length > 116) {
      lines.push(line);
      line = ''.padEnd(20);
    }
    line += ` ${part} ·`;
  }
  return [...lines, line.replace(/ ·$/, '')];
}

/** A failure, and the command that repeats it. */
export function describeFailure({ seed, dialect, violation, tail }: SimulationResult): string {
  if (violation === null) return '';
  const { invariant, text, atMs } = violation;
  return [
    `seed ${seed} (${dialect}) fails ${invariant} (${INVARIANTS[invariant]}) at ${(atMs / 1000).toFixed(3)} s: ${text}`,
    ...tail.map((line) => `  ${line.slice(0, 240)}`),
    `again: npm run simulate -- --profile ${dialect} --seed ${seed} --verbose`,
  ].join('\n');
}
