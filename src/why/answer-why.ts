// Explains why a strategy traded in a market or did not, and follows one order to its last fill. Must never answer from
// a session that cannot be replayed without saying so.
import { sessionHeaders, type SessionHeader } from '../tape/journal/session-headers.ts';
import type { WhyAnswer, WhyMinute, WhyOrder } from './why-answer.ts';
import { CHECK_NAMES, isOnRecordOnly, judgeMoment, type Judgment } from './checks/why-verdict.ts';
import { WhyFault } from './why-fault.ts';
import type { FactStore } from './fact-store.ts';
import { nearestNames } from './checks/near-tickers.ts';
import { orderChain } from './order-chain.ts';
import { type StoreOptions, type WhySource, withFacts } from './why-source.ts';
import type { SessionFacts } from './why-facts.ts';
import { WhyMoment, isoText } from './why-moment.ts';

/** A question about a market. */
export interface WhyQuestion {
  readonly ticker: string;
  /** Begin of the second that is asked about: microseconds since 1970. */
  readonly atUs: number;
  /** @default every strategy of the session. */
  readonly strategy?: string | undefined;
  /** @default the session that ran then. */
  readonly session?: string | undefined;
}

/** Options of an answer: progress and cancel. */
export type WhyOptions = StoreOptions;

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
/** Minutes of the strip on each side of the moment. */
const STRIP_MINUTES = 60;

/**
 * Answers for one strategy, or for each strategy of the session.
 * @throws {WhyFault} when the session cannot be replayed or has no such strategy.
 */
export async function answerWhy(
  source: WhySource,
  question: WhyQuestion,
  options: WhyOptions = {},
): Promise<readonly WhyAnswer[]> {
  const startedAt = performance.now();
  const headers = botSessions(source);
  const header = headerFor(headers, question);
  if (header === null) return [missing(question, { before: null, after: headers[0] ?? null, startedAt })];
  const times = { atUs: question.atUs + SECOND, toUs: question.atUs + (STRIP_MINUTES + 1) * MINUTE };
  return withFacts(source, { ...options, ...times, session: header.session }, (store, session) => {
    const after = headers[headers.indexOf(header) + 1] ?? null;
    if (question.atUs > lastKnownUs(session, after)) return [missing(question, { before: session, after, startedAt })];
    return answersFrom(store, question, startedAt);
  });
}

/** A recording is left out: it has no strategies. */
const botSessions = ({ journal }: WhySource): readonly SessionHeader[] =>
  sessionHeaders(journal).filter(({ of }) => of === 'journal');

/** The last session that began by the moment. */
function headerFor(headers: readonly SessionHeader[], { session, atUs }: WhyQuestion): SessionHeader | null {
  if (session === undefined) return headers.findLast(({ from }) => from <= atUs) ?? null;
  const named = headers.find((header) => header.session === session);
  if (named) return named;
  const known = headers.map((header) => header.session);
  throw new WhyFault(
    `session: expected one of the journal's, such as ${nearestNames(session, known).join(', ') || 'none'}, found ${JSON.stringify(session)}`,
  );
}

/**
 * Answers from recorded facts.
 * @throws {WhyFault} when the session has no such strategy.
 */
export function answersFrom(store: FactStore, question: WhyQuestion, startedAt: number): readonly WhyAnswer[] {
  const session = store.sessionFacts();
  if (session === null) throw new WhyFault('the session has no facts');
  return strategiesOf(session, question.strategy).map((strategy) =>
    answerOf(store, { session, strategy, question, startedAt }),
  );
}

function strategiesOf(session: SessionFacts, strategy: string | undefined): readonly string[] {
  const { strategies } = session;
  if (strategies.length === 0) throw new WhyFault(`session ${session.session} ran no strategy: it only watched`);
  if (strategy === undefined) return strategies;
  if (strategies.includes(strategy)) return [strategy];
  throw new WhyFault(`strategy: expected one of ${strategies.join(', ')}, found ${JSON.stringify(strategy)}`);
}

/** A running session's last entry may be this much behind. Microseconds. */
const LAG = 10 * SECOND;

/**
 * The last moment that a session can answer for. A session that another one followed has ended, even when nothing closed it.
 * After damage nothing says when a session ended.
 */
function lastKnownUs({ toUs, end, hole }: SessionFacts, after: SessionHeader | null): number {
  if (hole !== null) return Number.POSITIVE_INFINITY;
  return end === null && after === null ? toUs + LAG : toUs;
}

interface AnswerContext {
  readonly session: SessionFacts;
  readonly strategy: string;
  readonly question: WhyQuestion;
  readonly startedAt: number;
}

function answerOf(store: FactStore, { session, strategy, question, startedAt }: AnswerContext): WhyAnswer {
  const { ticker, atUs } = question;
  const moment = new WhyMoment({ store, session, strategy, ticker, atUs, windowUs: SECOND });
  const judgment = judgeMoment(moment);
  const { verdict, steps } = judgment;
  const isTraded = verdict.result === 'traded';
  return {
    session: session.session,
    strategy,
    ticker,
    atUs,
    isTraded,
    sentence: sentenceOf(moment, judgment),
    steps: [...steps],
    sinceUs: verdict.sinceUs ?? null,
    times: verdict.times ?? 1,
    untilUs: verdict.untilUs ?? null,
    next: verdict.next ?? null,
    minutes: stripOf(store, moment),
    evidence: [...(verdict.evidence ?? [])],
    source: isOnRecordOnly(moment) ? 'record' : 'replay',
    tookMs: Math.round(performance.now() - startedAt),
  };
}

function sentenceOf({ strategy, ticker, atUs }: WhyMoment, { verdict: { result, text } }: Judgment): string {
  const at = isoText(atUs).slice(11);
  return result === 'traded'
    ? `At ${at} ${strategy} traded ${ticker}: ${text}.`
    : `At ${at} ${strategy} did not trade ${ticker} because ${text}.`;
}

/** The minutes around the moment, within the session, each with its first failing check. */
function stripOf(store: FactStore, { session, strategy, ticker, atUs }: WhyMoment): WhyMinute[] {
  const minutes: WhyMinute[] = [];
  const middle = Math.floor(atUs / MINUTE);
  for (let minute = middle - STRIP_MINUTES; minute <= middle + STRIP_MINUTES; minute++) {
    const startUs = minute * MINUTE;
    if (startUs + MINUTE <= session.fromUs || startUs > session.toUs) continue;
    const moment = new WhyMoment({ store, session, strategy, ticker, atUs: startUs, windowUs: MINUTE });
    const { check, verdict } = judgeMoment(moment);
    const isTraded = verdict.result === 'traded';
    minutes.push({ atUs: startUs, check: isTraded ? null : check, text: verdict.text });
  }
  return minutes;
}

interface Around {
  readonly before: SessionFacts | null;
  readonly after: SessionHeader | null;
  readonly startedAt: number;
}

function missing({ ticker, atUs, strategy = '' }: WhyQuestion, { before, after, startedAt }: Around): WhyAnswer {
  const ended = before
    ? `the session before, ${before.session}, ended at ${isoText(before.toUs)} (${before.end ?? 'without closing its journal'})`
    : 'no session had begun before';
  const next = after ? `the next began at ${isoText(after.from)}` : 'none began later';
  const text = `no bot ran at ${isoText(atUs)}: ${ended}, ${next}`;
  return {
    session: null,
    strategy,
    ticker,
    atUs,
    isTraded: false,
    sentence: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
    steps: CHECK_NAMES.map((check, place) => ({
      check,
      result: place === 0 ? 'fail' : 'not reached',
      text: place === 0 ? text : '',
      figures: {},
    })),
    sinceUs: before?.toUs ?? null,
    times: 1,
    untilUs: after?.from ?? null,
    next: after && `session ${after.session} began`,
    minutes: [],
    evidence: [],
    source: 'replay',
    tookMs: Math.round(performance.now() - startedAt),
  };
}

/** The name of a check. It fails when the session did not have the market. */
const MARKET_CHECK = 'market';

/** The sentence that names the nearest markets, when no session of the answers had the market; otherwise `null`. */
export function unknownMarketText(answers: readonly WhyAnswer[]): string | null {
  const texts = answers.map(({ steps, untilUs }) =>
    untilUs === null ? steps.find(({ check, result }) => check === MARKET_CHECK && result === 'fail')?.text : undefined,
  );
  return texts.every((text) => text !== undefined) ? (texts[0] ?? null) : null;
}

const NAMES_SHOWN = 3;

function lastNames(headers: readonly SessionHeader[]): string {
  const names = headers.slice(-NAMES_SHOWN).map(({ session }) => session);
  return `${headers.length > NAMES_SHOWN ? `the last ${NAMES_SHOWN} of ${headers.length}: ` : ''}${names.join(', ')}`;
}

/** A question about one order. */
export interface WhyOrderQuestion {
  readonly clientOrderId: string;
  /** @default the session that the id names. */
  readonly session?: string | undefined;
}

/**
 * Follows an order from its cause to its last fill.
 * @throws {WhyFault} when no session has the order or its session cannot be replayed.
 */
export async function answerWhyOrder(
  source: WhySource,
  { clientOrderId, session }: WhyOrderQuestion,
  options: WhyOptions = {},
): Promise<WhyOrder> {
  const startedAt = performance.now();
  const headers = botSessions(source);
  const name = session ?? headers.findLast((header) => clientOrderId.startsWith(`${header.session}-`))?.session;
  if (name === undefined)
    throw new WhyFault(
      `order: expected an id that begins with the name of a session of this journal (${lastNames(headers)}), found ${JSON.stringify(clientOrderId)}`,
    );
  return withFacts(source, { ...options, session: name }, (store) => orderChain(store, clientOrderId, startedAt));
}
