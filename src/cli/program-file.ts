// The file of the running program, to start further processes of the same build. The path that started this process may
// be a link, and may lead to a newer build by now.
import { extname, join } from 'node:path';

/** The file of `main` in this build. */
export const PROGRAM_FILE = join(import.meta.dirname, `main${extname(import.meta.filename)}`);
