// The folder of the recordings of the real exchange, beside the repository. It may be absent: tests then skip.
import { fileURLToPath } from 'node:url';

export const RECORDINGS = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
