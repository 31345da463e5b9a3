// The display that redraws a page in place, on the terminal's alternate screen. The previous content comes back at the
// end. Must never write a control sequence other than its own.
import type { ConsoleNews } from '../../app/session/console-process.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { SessionSnapshot } from '../../report/account/session-snapshot.ts';
import { noticeText, noticeTone } from '../show/notice-text.ts';
import { type ConsoleDisplay, type DisplayOptions, consoleText } from '../show/display-options.ts';
import { PageLog } from './page-content.ts';
import { renderPage } from './page-layout.ts';
import { paintLine } from './page-line.ts';
import { FIRST_VIEW, type PageKey, type PageView, type ScrollRange, viewAfterKey } from './page-view.ts';

const OPEN = '\u001B[?1049h\u001B[?25l';
const CLOSE = '\u001B[?25h\u001B[?1049l';

/** Draws the page at each snapshot, key and change of size. */
export class PageDisplay implements ConsoleDisplay {
  readonly #options: DisplayOptions;
  readonly #log = new PageLog();
  readonly #releases: (() => void)[] = [];
  #view: PageView = FIRST_VIEW;
  #range: ScrollRange = { max: 0, page: 1 };
  #snapshot: SessionSnapshot | null = null;
  #console: string | null = null;
  #hasKeys = false;
  #isStopping = false;

  constructor(options: DisplayOptions) {
    this.#options = options;
    const { output } = options;
    const release = output.onKeys?.((keys) => this.#applyKeys(keys));
    this.#hasKeys = release !== undefined && release !== null;
    if (release) this.#releases.push(release);
    const resized = output.onResize?.(() => this.#draw());
    if (resized) this.#releases.push(resized);
    // An exit at once, as at a second Ctrl-C, must give the screen back, too.
    process.once('exit', this.#restoreScreen);
    output.write(OPEN);
  }

  showNotice(notice: Notice): void {
    const { tickers, now } = this.#options;
    const { code, text: alarm } = notice.type === 'alarm' ? notice : { code: null, text: '' };
    if (code !== null) this.#log.addAlarm({ code, text: alarm, at: now() });
    const text = noticeText(notice, tickers);
    if (text !== null) this.#log.addEvent({ at: now(), text, tone: noticeTone(notice) });
  }

  showSnapshot(snapshot: SessionSnapshot): void {
    this.#snapshot = snapshot;
    this.#draw();
  }

  showConsole(news: ConsoleNews): void {
    this.#console = consoleText(news);
    this.#draw();
  }

  #applyKeys(keys: readonly PageKey[]): void {
    for (const key of keys) {
      const view = viewAfterKey(this.#view, key, this.#range);
      if (view === 'stop') this.#requestStop(key);
      else this.#view = view;
    }
    this.#draw();
  }

  /** `q` asks for the stop only once: a second request would end the process while orders may rest. */
  #requestStop(key: PageKey): void {
    const isInterrupt = key.type === 'named';
    if (!isInterrupt && this.#isStopping) return;
    this.#isStopping = true;
    this.#options.onStop();
  }

  #draw(): void {
    if (this.#snapshot === null) return;
    const { output } = this.#options;
    const content = {
      snapshot: this.#snapshot,
      alarms: this.#log.alarms(),
      events: this.#log.events,
      console: this.#console,
    };
    const size = { width: output.columns - 1, height: output.rows, hasKeys: this.#hasKeys };
    const { lines, range } = renderPage(content, this.#view, size);
    this.#range = range;
    const drawn = lines.map((line) => `${paintLine(line, output.isColored)}\u001B[K`).join('\n');
    output.write(`\u001B[H${drawn}\u001B[J`);
  }

  close(): void {
    for (const release of this.#releases) release();
    process.off('exit', this.#restoreScreen);
    this.#restoreScreen();
  }

  readonly #restoreScreen = (): void => this.#options.output.write(CLOSE);
}
