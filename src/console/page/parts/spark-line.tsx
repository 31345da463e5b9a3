// A small line of equity over time, without axes.
import type { JSX } from 'preact';

interface SparkProps {
  readonly points: readonly { readonly atUs: number; readonly micros: number }[];
  readonly label: string;
}

const WIDTH = 120;
const HEIGHT = 36;
const MARGIN = 2;

/** Returns the path of the points, scaled to the size of the line. */
export function sparkPath(points: SparkProps['points']): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 2) return '';
  let [low, high] = [first.micros, first.micros];
  for (const { micros } of points) {
    low = Math.min(low, micros);
    high = Math.max(high, micros);
  }
  const across = Math.max(1, last.atUs - first.atUs);
  const up = Math.max(1, high - low);
  const at = ({ atUs, micros }: SparkProps['points'][number]): string => {
    const x = ((atUs - first.atUs) / across) * WIDTH;
    const y = HEIGHT - MARGIN - ((micros - low) / up) * (HEIGHT - 2 * MARGIN);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  return `M${points.map(at).join('L')}`;
}

export function SparkLine({ points, label }: SparkProps): JSX.Element | null {
  const path = sparkPath(points);
  if (path === '') return null;
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
