// The path of a small line, scaled to its size. It is broken where there is no amount.

/** A point of the line. `null`: the bot did not answer from then on. */
export interface SparkPoint {
  readonly atUs: number;
  readonly micros: number | null;
}

export const SPARK_WIDTH = 120;
export const SPARK_HEIGHT = 36;
const MARGIN = 2;

/** Returns the path of the points, scaled to the size of the line. */
export function sparkPath(points: readonly SparkPoint[]): string {
  const amounts = points.flatMap(({ micros }) => (micros === null ? [] : [micros]));
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || amounts.length < 2) return '';
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)];
  const across = Math.max(1, last.atUs - first.atUs);
  const up = Math.max(1, high - low);
  let isDrawing = false;
  let path = '';
  for (const { atUs, micros } of points) {
    if (micros !== null) {
      const x = ((atUs - first.atUs) / across) * SPARK_WIDTH;
      const y = SPARK_HEIGHT - MARGIN - ((micros - low) / up) * (SPARK_HEIGHT - 2 * MARGIN);
      path += `${isDrawing ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
    }
    isDrawing = micros !== null;
  }
  return path;
}
