// The file of the running program, to start further processes with. It belongs to this build; the file that started the
// process may be a link that leads to a newer one by now.
import { extname, join } from 'node:path';

/** The file of `main` in this build. */
export const PROGRAM_FILE = join(import.meta.dirname, `main${extname(import.meta.filename)}`);
