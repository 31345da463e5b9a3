// Explains the trades of a bot. A form asks for the strategy, the market and the time.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { WhyAnswer, WhyOrder } from '../state/why-types.ts';
import { fieldOf } from '../parts/form-fields.ts';
import { Empty, Fault, Loading, Panel } from '../parts/blocks.tsx';
import { AnswerBlock, OrderChain } from '../parts/why-answer-blocks.tsx';
import { isoTime, parseIsoTime } from '../format/times.ts';
import { botPath, callSlowApi, queryText, textOfFault } from '../state/api-calls.ts';
import { session } from '../state/live-data.ts';
import { address, consoleClockUs, openAddress } from '../state/page-state.ts';

const MINUTE_US = 60_000_000;

type Question = Readonly<Record<string, string>>;

/** An answer, or the reason of its absence. Both are `null` while the answer is awaited. */
interface Reading<T> {
  readonly answer: T | null;
  readonly fault: string | null;
}

type ReadAnswer<T> = (path: string, options: { readonly signal: AbortSignal }) => Promise<T>;

function useAnswer<T>(path: string | null, read: ReadAnswer<T>): Reading<T> {
  const [state, setState] = useState<Reading<T>>({ answer: null, fault: null });
  useEffect(() => {
    setState({ answer: null, fault: null });
    if (path === null) return undefined;
    const call = new AbortController();
    read(path, { signal: call.signal }).then(
      (answer) => setState({ answer, fault: null }),
      (reason: unknown) => {
        if (!call.signal.aborted) setState({ answer: null, fault: textOfFault(reason) });
      },
    );
    return () => call.abort();
  }, [path]);
  return state;
}

type Answers = WhyAnswer | { readonly answers: readonly WhyAnswer[] } | readonly WhyAnswer[];

const readAnswers: ReadAnswer<Answers> = callSlowApi;
const readChain: ReadAnswer<WhyOrder> = callSlowApi;

function answersOf(answer: Answers): readonly WhyAnswer[] {
  if ('sentence' in answer) return [answer];
  return 'answers' in answer ? answer.answers : answer;
}

export function WhyView({ bot }: { readonly bot: string }): JSX.Element {
  const { query } = address.value;
  return (
    <>
      <header class="view-head">
        <h1>Why</h1>
      </header>
      <QuestionForm key={`${JSON.stringify(query)} ${strategyNames().join()}`} bot={bot} query={query} />
      {query['order'] ? <OrderAnswer bot={bot} id={query['order']} /> : <MarketAnswer bot={bot} query={query} />}
    </>
  );
}

const strategyNames = (): readonly string[] => session.value?.value.strategies.map(({ name }) => name) ?? [];

function QuestionForm({ bot, query }: { readonly bot: string; readonly query: Question }): JSX.Element {
  const names = strategyNames();
  const asked = query['strategy'] ?? '';
  const options = asked !== '' && !names.includes(asked) ? [asked, ...names] : names;
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const field = (name: string): string => fieldOf(event, name);
    openAddress({ bot, view: 'why', query: { strategy: field('strategy'), market: field('market'), at: field('at') } });
  };
  const step = (minutes: number): void => {
    const from = parseIsoTime(query['at'] ?? '') ?? consoleClockUs();
    openAddress({ bot, view: 'why', query: { ...query, at: isoTime(from + minutes * MINUTE_US) } });
  };
  return (
    <form class="panel question" onSubmit={onSubmit}>
      <span>Why did</span>
      <select name="strategy" aria-label="Strategy">
        <option value="" selected={asked === ''}>
          any strategy
        </option>
        {options.map((name) => (
          <option key={name} value={name} selected={name === asked}>
            {name}
          </option>
        ))}
      </select>
      <span>trade, or not trade,</span>
      <input
        name="market"
        aria-label="Market"
        placeholder="ticker"
        required
        data-filter
        defaultValue={query['market'] ?? ''}
      />
      <span>at</span>
      <input
        name="at"
        aria-label="Time, ISO 8601; empty for now"
        placeholder="now, or 2026-11-23T14:02:10Z"
        defaultValue={query['at'] ?? ''}
      />
      <span class="steps-buttons">
        <button
          type="button"
          data-step="earlier"
          onClick={() => step(-1)}
          aria-label="A minute earlier"
          title="A minute earlier ([)"
        >
          ◂
        </button>
        <button
          type="button"
          data-step="later"
          onClick={() => step(1)}
          aria-label="A minute later"
          title="A minute later (])"
        >
          ▸
        </button>
      </span>
      <button type="submit" class="primary">
        Ask
      </button>
    </form>
  );
}

function MarketAnswer({ bot, query }: { readonly bot: string; readonly query: Question }): JSX.Element {
  const { market = '', strategy = '', at = '' } = query;
  // Without a time, the question is about the moment at which it was first asked.
  const [askedAt] = useState(() => isoTime(consoleClockUs()));
  const path = market === '' ? null : botPath(bot, `/why${queryText({ market, at: at || askedAt, strategy })}`);
  const { answer, fault } = useAnswer(path, readAnswers);
  if (path === null)
    return (
      <Empty>
        Name a market to learn why it was traded, or was not. In every table, the key w asks for the row in focus.
      </Empty>
    );
  if (fault !== null) return <Fault text={fault} />;
  if (answer === null) return <ReplayLoading />;
  const answers = answersOf(answer);
  return (
    <>
      {answers.map((each) => (
        <AnswerBlock key={each.strategy} bot={bot} answer={each} />
      ))}
      {answers.length === 0 && <Empty>No strategy ran at that time.</Empty>}
    </>
  );
}

function OrderAnswer({ bot, id }: { readonly bot: string; readonly id: string }): JSX.Element {
  const { answer, fault } = useAnswer(botPath(bot, `/why/order/${encodeURIComponent(id)}`), readChain);
  if (fault !== null) return <Fault text={fault} />;
  return answer === null ? <ReplayLoading /> : <OrderChain bot={bot} order={answer} />;
}

const ReplayLoading = (): JSX.Element => (
  <Panel title="The journal is replayed">
    <Loading rows={6} label="The journal is replayed to that moment" />
  </Panel>
);
