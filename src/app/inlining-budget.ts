// Raises the total size of the functions that V8 compiles into one caller. A change of a book passes some twenty small
// functions from the row or frame to the strategy: with V8's own budget of 920 bytes of bytecode, a quarter of them stay
// calls. Must not be raised for studies: each thread compiles its own code, beside trials on every core, and many short
// trials are faster with less of it.
import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 compile a function for speed after a third of the usual work in it. A tick passes hundreds of functions, each of
 * which would otherwise run in the interpreter for the first thousands of orders of a session. Must be called before
 * they run. Not for backtests: they run the same code for seconds, and gain by better statistics.
 */
export function compileSoon(): void {
  setFlagsFromString('--interrupt-budget=20000');
}

/** Raises the budget for the whole process. Must be called before the hot path is compiled. */
export function raiseInliningBudget(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=2500');
}
