// The file of the running program, to start further processes with. It is the file of this build. The path with which
// the process was started may be a link, which may lead to a newer build by now.
import { extname, join } from 'node:path';

/** The file of `main` in this build. */
export const PROGRAM_FILE = join(import.meta.dirname, `main${extname(import.meta.filename)}`);
