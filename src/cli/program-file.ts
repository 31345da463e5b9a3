// The program that runs, as a file: what a process of it that is started later begins with. Not what it was started by, which
// leads to another build once there is one.
import { extname, join } from 'node:path';

/** The file of `main` in this very build. */
export const PROGRAM_FILE = join(import.meta.dirname, `main${extname(import.meta.filename)}`);
