// A small line of equity over time, without axes. It is broken where the bot did not answer.
import type { JSX } from 'preact';
import { SPARK_HEIGHT, SPARK_WIDTH, type SparkPoint, sparkPath } from '../format/spark-path.ts';

interface SparkProps {
  readonly points: readonly SparkPoint[];
  readonly label: string;
}

export function SparkLine({ points, label }: SparkProps): JSX.Element | null {
  const path = sparkPath(points);
  if (path === '') return null;
  const box = `0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`;
  return (
    <svg class="spark" viewBox={box} preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
