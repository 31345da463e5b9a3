// Decides which notices of the engine become alerts. A new kind of notice does not compile until it has its case. Runs
// within the engine's turn: the frequent kinds return one shared empty list.
import { dollarsText } from '../../domain/amounts.ts';
import { type Micros, type Money, formatMoney } from '../../domain/units.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Halt, HaltScope } from '../../domain/operator-order.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { scopeKey } from '../../execution/operator/halts.ts';
import type { Severity } from '../../config/alerts-config.ts';
import { countedNoun } from '../../report/text/figure-text.ts';
import { draftOfAlarm, sentence } from './alarm-drafts.ts';
import type { AlertAct, AlertDraft } from './alert-record.ts';
import { cleanLine, cleanPart } from './alert-text.ts';

/** Figures of the account at the moment of a notice. */
export interface AccountFigures {
  /** Number of orders that may rest. */
  readonly orders: number;
  /** Number of markets with a position. */
  readonly positions: number;
  /** The day's profit with positions at their marks; `null` before the account is open. */
  readonly dayProfit: Money | null;
}

/** The bot that the notices come from. */
export interface AlertSource {
  readonly bot: string;
  /** The config's file, for the commands in the advice. */
  readonly configFile: string;
  readonly accountFigures: () => AccountFigures;
  readonly tickerOf: (market: MarketIndex) => string;
}

const NONE: readonly AlertAct[] = [];

/** Returns the alerts of a notice. */
export function alertsOfNotice(notice: Notice, source: AlertSource): readonly AlertAct[] {
  switch (notice.type) {
    case 'alarm':
      return firing(draftOfAlarm(notice, source.bot, source.configFile));
    case 'halt':
      return firing(haltDraft(notice.halt, notice.isCarried, source));
    case 'resumed':
      return [over('halt', scopeKey(notice.scope), `Resumed: ${notice.reason}`)];
    case 'feed':
      return notice.isUp
        ? [over('feed-down', '', 'The feed is up again'), over('feed-age', '', 'The feed is up again')]
        : NONE;
    case 'private-feed':
      return notice.isUp ? [over('private-feed', '', 'The feed reports fills and orders again')] : NONE;
    case 'phase':
      return notice.phase === 'trading'
        ? [...firing(tradingDraft(source)), over('session-end', '', 'The bot trades again')]
        : NONE;
    case 'withdrawn':
    case 'flattening':
    case 'override':
      return firing(operatorDraft(notice, source));
    case 'flattened':
      return flattenedActs(notice, source);
    case 'unexpected-order':
      return firing(unexpectedDraft(source));
    // The end of the session is reported instead: see `draftOfEnd`.
    case 'barred':
    // An alarm reports the same figures, with advice.
    case 'position-drift':
    case 'cash-drift':
    case 'canceled-for-us':
    // Ordinary events of trading, and saved figures.
    case 'trust':
    case 'market':
    case 'evicted':
    case 'settled':
    case 'order':
    case 'fill':
    case 'surprise':
    case 'losses':
    case 'books':
    case 'approved':
    case 'denied':
    case 'saved':
    case 'forecast':
    case 'rate-limited':
    case 'read-failed':
    case 'suspicion':
    case 'reconciled':
      return NONE;
  }
}

const firing = (draft: AlertDraft): readonly AlertAct[] => [{ type: 'firing', draft }];

const over = (code: string, scope: string, happened: string): AlertAct => ({
  type: 'over',
  code,
  scope,
  happened: cleanPart(sentence(happened)),
});

const infoDraft = (draft: Pick<AlertDraft, 'code' | 'title' | 'happened' | 'did' | 'do'>): AlertDraft => ({
  severity: 'info',
  scope: '',
  figures: {},
  ...draft,
});

const tradingDraft = ({ bot, configFile }: AlertSource): AlertDraft =>
  infoDraft({
    code: 'trading',
    title: `${bot}: trading`,
    happened: 'The session trades: markets, orders, positions and cash were read.',
    did: 'The strategies may place orders.',
    do: `Nothing. \`presage status --config ${configFile}\` shows the account.`,
  });

const unexpectedDraft = ({ bot, configFile }: AlertSource): AlertDraft =>
  infoDraft({
    code: 'unexpected-order',
    title: `${bot}: orders of an earlier session or another program rest`,
    happened: 'The exchange lists orders that this session did not place.',
    did: 'The bot handles them as `orders.unexpected` says: by default it cancels those of its own earlier sessions.',
    do: `Nothing after a crash. Otherwise look at \`presage status --config ${configFile}\` for another program on this account.`,
  });

const AUTHOR_WORDS: Readonly<Record<Halt['by'], string>> = {
  operator: 'An operator',
  risk: 'A rule of risk',
  watchdog: 'The watchdog',
  fault: 'The bot, after a fault,',
};

/** The time of day, in UTC to the second: `13:41:07Z`. */
export const timeOfDayText = (at: Micros): string => `${new Date(at / 1000).toISOString().slice(11, 19)}Z`;

function scopeWords(scope: HaltScope): string {
  switch (scope.type) {
    case 'account':
      return 'the account';
    case 'strategy':
      return `the strategy ${scope.strategy}`;
    case 'market':
      return `the market ${scope.ticker}`;
  }
}

/** Only a halt of the whole account that no person asked for is critical. */
function haltSeverity({ scope, by }: Halt, isCarried: boolean): Severity {
  if (by === 'operator') return scope.type === 'account' ? 'warning' : 'info';
  if (scope.type !== 'account' || isCarried) return 'warning';
  return 'critical';
}

function haltDraft(halt: Halt, isCarried: boolean, source: AlertSource): AlertDraft {
  const { scope, by, reason, since } = halt;
  const { bot, configFile } = source;
  const what = cleanLine(scopeWords(scope));
  const subject = scope.type === 'account' ? bot : `${bot}: ${what}`;
  const { orders, positions, dayProfit } = source.accountFigures();
  const profit = dayProfit === null ? '' : `; the day’s profit is ${dollarsText(dayProfit)} at marks`;
  return {
    severity: haltSeverity(halt, isCarried),
    code: 'halt',
    scope: scopeKey(scope),
    title: cleanPart(`${subject} ${isCarried ? 'is still halted' : 'is halted'}: ${reason}`),
    happened: cleanPart(`${AUTHOR_WORDS[by]} halted ${what} at ${timeOfDayText(since)}: ${reason}.`),
    did: `The bot places no new order there and cancels what rests (${countedNoun(orders, 'order')} of the account before that). Positions stay: ${countedNoun(positions, 'market')}${profit}.`,
    do: `Look at orders and positions, then \`presage resume --config ${configFile}${resumeScope(scope)} --reason …\`.${limitAdvice(reason)}`,
    figures: { by, orders, positions, ...(dayProfit !== null && { dayProfit: formatMoney(dayProfit) }) },
  };
}

const resumeScope = (scope: HaltScope): string =>
  scope.type === 'account' ? '' : ` --scope ${cleanPart(scopeKey(scope))}`;

/** The effect of a resume on a loss limit. A loss of the day halts again as soon as the halt is lifted. */
function limitAdvice(reason: string): string {
  if (/\bdailyLossMax\b/.test(reason))
    return ' It halts again at once unless `presage override` changes dailyLossMax first.';
  return /\bdrawdownMax\b/.test(reason) ? ' The drawdown then counts from the equity at that time.' : '';
}

type OperatorAct = Extract<Notice, { type: 'withdrawn' | 'flattening' | 'override' }>;

function operatorDraft(notice: OperatorAct, source: AlertSource): AlertDraft {
  const { bot, configFile } = source;
  const status = `\`presage status --config ${configFile}\` shows what is left.`;
  switch (notice.type) {
    case 'withdrawn':
      return infoDraft({
        code: 'cancel-all',
        title: `${bot}: all orders are canceled`,
        happened: cleanPart(`An operator canceled every order of ${scopeWords(notice.scope)}: ${notice.reason}.`),
        did: `The bot cancels ${countedNoun(notice.orders, 'order')}. Strategies may place new ones.`,
        do: `Nothing. ${status}`,
      });
    case 'flattening':
      return infoDraft({
        code: 'flatten',
        title: `${bot}: every position is being closed`,
        happened: cleanPart(`An operator closes every position: ${notice.reason}.`),
        did: `The bot halts the account, cancels every order and closes ${countedNoun(notice.positions, 'position')} at the prices in the book.`,
        do: `Wait for the message that closing has ended. ${status}`,
      });
    case 'override':
      return overrideDraft(notice, source);
  }
}

type Flattened = Extract<Notice, { type: 'flattened' }>;

/** A flatten that closes everything also ends the condition of an earlier one that did not. */
function flattenedActs(notice: Flattened, source: AlertSource): readonly AlertAct[] {
  const fired = firing(flattenedDraft(notice, source));
  return notice.unclosed.length > 0 ? fired : [over('flattened', '', 'Every position is closed'), ...fired];
}

function flattenedDraft({ why, unclosed }: Flattened, { bot, configFile, tickerOf }: AlertSource): AlertDraft {
  const rows = unclosed.map((each) => `${tickerOf(each.market)}: ${each.why}`).join('; ');
  const isDone = unclosed.length === 0;
  return {
    severity: isDone ? 'info' : 'critical',
    code: 'flattened',
    // A scope of its own: a success after a failure is no repetition of it.
    scope: isDone ? 'done' : '',
    title: `${bot}: ${isDone ? 'every position is closed' : `${countedNoun(unclosed.length, 'position')} could not be closed`}`,
    happened: cleanPart(`Closing has ended: ${why}.${isDone ? '' : ` Still open: ${rows}.`}`),
    did: 'The account stays halted.',
    do: isDone
      ? `When it may trade again: \`presage resume --config ${configFile} --reason …\`.`
      : `Close the rest at the exchange, or repeat \`presage flatten --config ${configFile}\` when prices are there.`,
    figures: { unclosed: unclosed.length },
  };
}

const OVERRIDE_WORDS = { begun: 'is in force', ended: 'has ended', refused: 'was refused' } as const;

function overrideDraft(
  { change, override, why }: Extract<Notice, { type: 'override' }>,
  { bot, configFile }: AlertSource,
): AlertDraft {
  const { limit, strategy, until } = override;
  const owner = strategy === null ? 'the account' : `the strategy ${strategy}`;
  return {
    severity: change === 'refused' ? 'warning' : 'info',
    code: 'override',
    scope: cleanPart(`${limit}/${strategy ?? ''}/${change}`),
    title: cleanPart(`${bot}: another ${limit} ${OVERRIDE_WORDS[change]}`),
    happened: cleanPart(`An override of ${limit} for ${owner} ${OVERRIDE_WORDS[change]}: ${why}.`),
    did:
      change === 'begun'
        ? `The bot uses it until ${new Date(until / 1000).toISOString()}.`
        : 'The limit of the config is in force.',
    do: `Nothing, if this was wanted: \`presage status --config ${configFile}\`.`,
    figures: { limit, value: override.value },
  };
}
