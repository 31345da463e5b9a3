// The answer to "why": sentence, checks, minutes, evidence, and the history of an order.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount } from '../format/figures.ts';
import { formatClock, formatPreciseClock, formatSpan, formatStep, isoTime } from '../format/times.ts';
import { formatAddress } from '../state/address.ts';
import { isPaper } from '../state/live-data.ts';
import { openAddress } from '../state/page-state.ts';
import { zone } from '../state/preferences.ts';
import type { WhyAnswer, WhyOrder } from '../state/why-types.ts';
import { Mark, Panel } from './blocks.tsx';
import { Moment } from './figures.tsx';

interface AnswerProps {
  readonly bot: string;
  readonly answer: WhyAnswer;
}

export const AnswerBlock = ({ bot, answer }: AnswerProps): JSX.Element => (
  <Panel
    title={`${answer.strategy} · ${answer.ticker}`}
    aside={<AnswerAside source={answer.source} tookMs={answer.tookMs} line={terminalLine(answer)} />}
  >
    <p class="sentence">{answer.sentence}</p>
    <Course answer={answer} />
    <MinuteStrip bot={bot} answer={answer} />
    <Checks answer={answer} />
    <Evidence rows={answer.evidence} />
  </Panel>
);

/** The config names the journal of the live bot: a paper session has a data folder of its own. */
const placeOfJournal = (): string => (isPaper.value ? '--data FOLDER' : '--config FILE');

const terminalLine = ({ ticker, strategy, atUs }: WhyAnswer): string =>
  `presage why ${placeOfJournal()} --market ${ticker} --strategy ${strategy} --at ${isoTime(atUs)}`;

interface AsideProps {
  readonly source: WhyAnswer['source'];
  readonly tookMs: number;
  readonly line: string;
}

/** Rejects at a remote address without TLS, where browsers have no clipboard, and where the person forbids it. */
const copyText = async (line: string): Promise<void> => navigator.clipboard.writeText(line);

function AnswerAside({ source, tookMs, line }: AsideProps): JSX.Element {
  const [copy, setCopy] = useState<'none' | 'done' | 'refused'>('none');
  const onCopy = (): void =>
    void copyText(line).then(
      () => setCopy('done'),
      () => setCopy('refused'),
    );
  return (
    <>
      {source === 'record' && <Mark tone="warning">from the record, not from a replay</Mark>}
      <span class="muted num">{formatSpan(tookMs)}</span>
      {copy === 'refused' ? (
        <code>{line}</code>
      ) : (
        <button type="button" class="quiet" onClick={onCopy} title={line}>
          {copy === 'done' ? 'Copied' : 'Copy command'}
        </button>
      )}
    </>
  );
}

function Course({ answer: { sinceUs, times, untilUs, next } }: { readonly answer: WhyAnswer }): JSX.Element | null {
  if (sinceUs === null && next === null) return null;
  return (
    <p class="muted">
      {sinceUs !== null && (
        <>
          Since <Moment us={sinceUs} />
          {times > 1 && (
            <>
              , <span class="num">{formatCount(times)}</span> times
            </>
          )}
          .{' '}
        </>
      )}
      {untilUs !== null && (
        <>
          It changed at <Moment us={untilUs} />
          {next === null ? '.' : `: ${next}`}
        </>
      )}
    </p>
  );
}

const RESULT_MARKS = { pass: '✓', fail: '✗', 'not reached': '–' } as const;
const RESULT_CLASSES = { pass: 'pass', fail: 'fail', 'not reached': 'not-reached' } as const;

const Checks = ({ answer: { steps } }: { readonly answer: WhyAnswer }): JSX.Element => (
  <ol class="checks">
    {steps.map(({ check, result, text, figures }) => (
      <li key={check} class={RESULT_CLASSES[result]}>
        <span class="check-mark" aria-hidden="true">
          {RESULT_MARKS[result]}
        </span>
        <span class="check-name">
          {check}
          <span class="sr-only">: {result}</span>
        </span>
        <span class="check-text">
          {text}{' '}
          {Object.entries(figures).map(([name, value]) => (
            <span key={name} class="check-figure">
              <span class="muted">{name}</span> <span class="num">{value}</span>
            </span>
          ))}
        </span>
      </li>
    ))}
  </ol>
);

/** One square for each minute. A minute without a trade shows the first letter of the failed check. */
function MinuteStrip({ bot, answer }: AnswerProps): JSX.Element | null {
  const { minutes, ticker, strategy, atUs } = answer;
  if (minutes.length === 0) return null;
  const open = (us: number): void =>
    openAddress({ bot, view: 'why', query: { market: ticker, strategy, at: isoTime(us) } });
  const minuteUs = 60_000_000;
  return (
    <div class="strip" role="group" aria-label="The minutes around this moment">
      <span class="num muted">{formatClock(minutes[0]?.atUs, zone.value)}</span>
      <div class="strip-cells">
        {minutes.map(({ atUs: at, check, text }) => (
          <button
            key={at}
            type="button"
            class={`strip-cell ${check === null ? 'traded' : 'held'}${atUs >= at && atUs < at + minuteUs ? ' asked' : ''}`}
            title={`${formatClock(at, zone.value)} ${text}`}
            aria-label={`${formatClock(at, zone.value)}: ${check ?? 'traded'}`}
            onClick={() => open(at)}
          >
            {check === null ? '' : check.slice(0, 1)}
          </button>
        ))}
      </div>
      <span class="num muted">{formatClock(minutes.at(-1)?.atUs, zone.value)}</span>
    </div>
  );
}

const Evidence = ({ rows }: { readonly rows: WhyAnswer['evidence'] }): JSX.Element | null =>
  rows.length === 0 ? null : (
    <details class="evidence">
      <summary>Evidence in the journal ({formatCount(rows.length)})</summary>
      <ol>
        {rows.map(({ seq, text }) => (
          <li key={`${seq} ${text}`}>
            <span class="num">#{seq}</span> <span>{text}</span>
          </li>
        ))}
      </ol>
    </details>
  );

/** The history of an order, from the frame that caused it to its last fill. */
export const OrderChain = ({ bot, order }: { readonly bot: string; readonly order: WhyOrder }): JSX.Element => (
  <Panel
    title={`${order.clientOrderId} · ${order.strategy}`}
    aside={
      <AnswerAside
        source={order.source}
        tookMs={order.tookMs}
        line={`presage why ${placeOfJournal()} --order ${order.clientOrderId}`}
      />
    }
  >
    <p class="sentence">{order.sentence}</p>
    <p>
      <a href={formatAddress({ bot, view: 'market', subject: order.ticker })}>{order.ticker}</a>
    </p>
    <ol class="chain">
      {order.hops.map(({ atUs, afterUs, what, text, seq }) => (
        <li key={`${atUs} ${what} ${seq}`}>
          <time class="num" dateTime={isoTime(atUs)}>
            {formatPreciseClock(atUs, zone.value)}
          </time>
          <span class="num muted right">{afterUs === null ? '' : formatStep(afterUs / 1000)}</span>
          <strong>{what}</strong>
          <span>
            {text} {seq !== null && <span class="muted num">#{seq}</span>}
          </span>
        </li>
      ))}
    </ol>
  </Panel>
);
