// Progress of a study on stderr: trials, time left and the best so far. As JSON, one line of stdout for each trial.
import { SingleBar } from 'cli-progress';
import type { StudyNews } from '../../research/study/run-study.ts';
import { type StudyState, shownEnd } from '../../research/study/study-state.ts';
import { printLines } from '../output/print-lines.ts';
import { clockText } from '../output/text-format.ts';
import { escapeText, rawStream } from '../output/terminal-escapes.ts';
import { objectiveText } from './study-text.ts';

const LINE_EVERY_MS = 5000;

/** Shows a running study. */
export class StudyProgress {
  readonly #isJson: boolean;
  readonly #trialsMax: number | null;
  readonly #startedAt = performance.now();
  #bar: SingleBar | null = null;
  #state: StudyState | null = null;
  #ended = 0;
  #shownAt = performance.now();

  constructor({ isJson, trialsMax }: { readonly isJson: boolean; readonly trialsMax: number | null }) {
    this.#isJson = isJson;
    this.#trialsMax = trialsMax;
  }

  showNews(news: StudyNews): void {
    if (news.type === 'opened') return this.#open(news.state, news.cutBytes);
    if (news.type === 'started') return;
    this.#ended += 1;
    if (this.#isJson) {
      const state = this.#state;
      const { kind, ...line } = state === null ? news.line : shownEnd(news.line, state.head);
      const row = state?.schedule.rows[line.n];
      printLines([JSON.stringify({ type: 'trial', end: kind, ...line, params: row?.params })]);
    }
    this.#show();
  }

  #open(state: StudyState, cutBytes: number): void {
    this.#state = state;
    if (cutBytes > 0) process.stderr.write(`presage: a torn last line of ${cutBytes} bytes was cut off\n`);
    if (!process.stderr.isTTY || this.#trialsMax === null) return;
    const bar = new SingleBar({
      format: `{bar} {value}/{total} trials, {left} left  {best}`,
      stream: rawStream(process.stderr),
      clearOnComplete: true,
      hideCursor: true,
      barsize: 24,
    });
    bar.start(this.#trialsMax, this.#done(), this.#texts());
    this.#bar = bar;
  }

  #done(): number {
    return this.#state?.schedule.rows.filter((row) => row.state === 'ended').length ?? 0;
  }

  #texts(): { readonly left: string; readonly best: string } {
    const state = this.#state;
    const [best] = state?.bestRows() ?? [];
    const words = state && best ? `best ${objectiveText(state, best.line.values)} (#${best.row.n})` : 'no best yet';
    const each = (performance.now() - this.#startedAt) / Math.max(1, this.#ended);
    const toGo = this.#trialsMax === null ? null : this.#trialsMax - this.#done();
    return { left: toGo === null || this.#ended === 0 ? '?' : clockText(each * toGo), best: escapeText(words) };
  }

  #show(): void {
    if (this.#bar) return this.#bar.update(this.#done(), this.#texts());
    const now = performance.now();
    if (now - this.#shownAt < LINE_EVERY_MS) return;
    this.#shownAt = now;
    const { left, best } = this.#texts();
    const of = this.#trialsMax === null ? '' : ` of ${this.#trialsMax}`;
    process.stderr.write(`${this.#done()}${of} trials, ${left} left, ${best}\n`);
  }

  close(): void {
    this.#bar?.stop();
    this.#bar = null;
  }
}
