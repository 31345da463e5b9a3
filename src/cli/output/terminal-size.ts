// Size of the terminal that a stream writes to. A terminal without a size, such as one that `script` opens, reports 0: it
// counts as one of the usual size.

const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;

/** Returns the width of a stream's terminal in columns; `undefined` when the stream has no terminal. */
export const terminalWidth = ({ columns }: { readonly columns?: number }): number | undefined =>
  columns === 0 ? USUAL_COLUMNS : columns;

/** Returns the height of a stream's terminal in rows; `undefined` when the stream has no terminal. */
export const terminalHeight = ({ rows }: { readonly rows?: number }): number | undefined =>
  rows === 0 ? USUAL_ROWS : rows;
