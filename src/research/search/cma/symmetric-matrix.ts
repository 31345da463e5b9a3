// Eigenvalues and eigenvectors of a symmetric matrix. Must never be given a matrix that is not symmetric.

/** Rows of a matrix. */
export type Matrix = readonly (readonly number[])[];

/** Eigenvalues, and eigenvectors as the columns of `vectors`, in the same sequence. */
export interface Eigen {
  readonly values: readonly number[];
  readonly vectors: Matrix;
}

const SWEEPS_MAX = 50;

/** The plane and the angle of a rotation. */
interface Rotation {
  readonly p: number;
  readonly q: number;
  readonly cos: number;
  readonly sin: number;
}

export const identityOf = (size: number): number[][] =>
  Array.from({ length: size }, (_, i) => Array.from({ length: size }, (__, j) => (i === j ? 1 : 0)));

const at = (matrix: Matrix, i: number, j: number): number => matrix[i]?.[j] ?? 0;

/**
 * Returns the eigenvalues and eigenvectors of a symmetric matrix. The source is the cyclic Jacobi method (Golub, Van Loan, Matrix
 * Computations, 4th edition, section 8.5.3).
 */
export function eigenOf(matrix: Matrix): Eigen {
  const a = matrix.map((row) => [...row]);
  const vectors = identityOf(a.length);
  for (let sweep = 0; sweep < SWEEPS_MAX && !isDiagonal(a); sweep++)
    for (let p = 0; p < a.length; p++) for (let q = p + 1; q < a.length; q++) rotateAway(a, vectors, { p, q });
  return { values: a.map((row, i) => row[i] ?? 0), vectors };
}

/** Turns the matrix so that its entry at p, q is 0. */
function rotateAway(a: number[][], vectors: number[][], { p, q }: Pick<Rotation, 'p' | 'q'>): void {
  const rotation = rotationOf(a, p, q);
  if (rotation === null) return;
  rotateColumns(a, rotation);
  rotateRows(a, rotation);
  rotateColumns(vectors, rotation);
}

/** True when the rest beside the diagonal no longer changes its sum. */
function isDiagonal(a: Matrix): boolean {
  let diagonal = 0;
  let rest = 0;
  a.forEach((row, i) => row.forEach((x, j) => (i === j ? (diagonal += Math.abs(x)) : (rest += Math.abs(x)))));
  return diagonal + rest * 1e-3 === diagonal;
}

function rotationOf(a: Matrix, p: number, q: number): Rotation | null {
  const off = at(a, p, q);
  if (off === 0) return null;
  const tau = (at(a, q, q) - at(a, p, p)) / (2 * off);
  const tan = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau));
  const cos = 1 / Math.sqrt(1 + tan * tan);
  return { p, q, cos, sin: tan * cos };
}

function rotateColumns(a: number[][], { p, q, cos, sin }: Rotation): void {
  for (const row of a) {
    const [left, right] = [row[p] ?? 0, row[q] ?? 0];
    row[p] = cos * left - sin * right;
    row[q] = sin * left + cos * right;
  }
}

function rotateRows(a: number[][], { p, q, cos, sin }: Rotation): void {
  const [upper = [], lower = []] = [a[p], a[q]];
  for (let j = 0; j < upper.length; j++) {
    const [left, right] = [upper[j] ?? 0, lower[j] ?? 0];
    upper[j] = cos * left - sin * right;
    lower[j] = sin * left + cos * right;
  }
}
