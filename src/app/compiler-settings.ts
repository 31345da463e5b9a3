// Settings of V8's compiler for the whole process. They change how fast the program is, and never what it does. Must be
// applied before the hot path runs.
import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 compile a function for speed after a third of the usual work in it. A tick passes hundreds of functions, each of
 * which would otherwise run in the interpreter for the first thousands of orders of a session. Not for backtests: they
 * run the same code for seconds, and V8 compiles it better when it has seen more of it.
 */
export function compileSoon(): void {
  setFlagsFromString('--interrupt-budget=20000');
}

/**
 * Raises the total size of the functions that V8 compiles into one caller. A change of a book passes some twenty small
 * functions from the row or frame to the strategy: with V8's own budget of 920 bytes of bytecode, a quarter of them stay
 * calls. For programs that do one thing for long. Not for studies, replays of journals, or the backtest of a usual tape:
 * they spend more on the compilation than they gain.
 */
export function raiseInliningBudget(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=2500');
}

/** Rows of a tape from which on the larger budget gains more than its compilation costs. */
const LONG_TAPE_ROWS = 10_000_000;

/** Raises the budget as `raiseInliningBudget` does, if a backtest is long enough to gain by it. */
export function raiseInliningBudgetForRows(rows: number): void {
  if (rows >= LONG_TAPE_ROWS) raiseInliningBudget();
}
