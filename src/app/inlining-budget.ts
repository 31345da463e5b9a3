// Raises the total size of the functions that V8 compiles into one caller. A change of a book passes some twenty small
// functions from the row or frame to the strategy: with V8's own budget of 920 bytes of bytecode, a quarter of them stay
// calls. Imported for its effect, by each program that trades or replays. Must run before the hot path is compiled.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--max-inlined-bytecode-size-cumulative=2500');
