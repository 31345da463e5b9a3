// The text of each alarm for a person who was woken by it: the acts of the bot, and the advice. Must never advise a
// step that loses money by itself.
import type { Severity } from '../../config/alerts-config.ts';
import type { Alarm, AlarmCode } from '../../domain/alarm.ts';
import type { AlertDraft } from './alert-record.ts';
import { cleanPart } from './alert-text.ts';

type Figures = Alarm['figures'];

/** The text of one alarm. `CONFIG` is replaced by the config's file. */
interface AlarmText {
  readonly severity: Severity;
  /** Ends the headline "BOT: …". */
  readonly title: string;
  readonly did: string;
  readonly do: string;
  /** Two conditions of this code are the same when these figures are equal. Default: none. */
  readonly scope?: readonly string[];
  /** Name of a figure in milliseconds. Above `CRITICAL_AFTER_MS` the alarm is critical. Default: none. */
  readonly lasting?: string;
}

/** A condition that lasts longer than this becomes critical. Milliseconds. */
const CRITICAL_AFTER_MS = 15 * 60_000;

const STATUS = 'Look at `presage status --config CONFIG`';

/** The texts, by code. */
export const ALARM_TEXTS: Readonly<Record<AlarmCode, AlarmText>> = {
  'rejects-per-minute': {
    severity: 'warning',
    title: 'the exchange rejects many orders',
    did: 'The bot trades on. It does not repeat a rejected order by itself.',
    do: 'Look at the reason in the log. If a strategy sends orders that can never be accepted, halt it: `presage halt --config CONFIG --scope strategy=NAME`.',
  },
  'fee-unexpected': {
    severity: 'warning',
    title: 'a fee differs from the schedule',
    did: 'The bot trades on with the fees that it knows. Cash follows the fees that were charged.',
    do: 'Compare the fill with the exchange’s fee schedule. If the schedule changed, restart the bot so that it reads the new one.',
    scope: ['ticker'],
  },
  'unknown-too-long': {
    severity: 'warning',
    title: 'an order has been unknown for too long',
    did: 'The bot sends no new order in this market, and keeps asking the exchange for the order.',
    do: 'Look for the order at the exchange. If it rests there, `presage cancel-all --config CONFIG` cancels it.',
    scope: ['ticker'],
  },
  drift: {
    severity: 'critical',
    title: 'positions or cash differ from the exchange',
    did: 'The bot read fills and settlements again, and they do not explain it. It halts the account unless `orders.onDrift` is `alarm`.',
    do: 'Look for trades by another program or person, transfers and corrections at the exchange. Then `presage resume --config CONFIG --reason …`.',
    scope: ['ours', 'theirs'],
  },
  'feed-age': {
    severity: 'warning',
    title: 'the feed is silent',
    did: 'The bot denies new orders on old books until the feed delivers again. Resting orders stay.',
    do: `${STATUS} and at the exchange’s status page. If prices move there, \`presage halt --config CONFIG\` cancels every order.`,
  },
  'feed-down': {
    severity: 'warning',
    title: 'the feed is down',
    did: 'The bot keeps connecting, and places no order meanwhile. Resting orders stay unless the strategy or a guard cancels them.',
    do: `${STATUS}, at the machine’s network and at the exchange’s status page. \`presage halt --config CONFIG\` cancels every order.`,
    lasting: 'downMs',
  },
  'feed-lag': {
    severity: 'warning',
    title: 'the feed arrives late',
    did: 'The bot trades on with late prices.',
    do: `${STATUS}: if its own timers are late, the machine is too slow or a strategy computes too long; otherwise the network or the exchange is slow.`,
  },
  'book-unanswered': {
    severity: 'warning',
    title: 'an order book does not arrive',
    did: 'The bot places no order on this book, and keeps requesting it.',
    do: `${STATUS}. If it lasts, restart the bot; if it stays, the exchange does not serve this market.`,
  },
  'private-feed': {
    severity: 'warning',
    title: 'fills and orders are not reported by the feed',
    did: 'The bot renews the subscription, reads fills and orders by request meanwhile, and places no order on what it does not know.',
    do: `${STATUS}. If it lasts, check that the key is still valid and not used by another program.`,
    lasting: 'forMs',
  },
  'clock-offset': {
    severity: 'warning',
    title: 'the clock differs from the exchange’s',
    did: 'The bot trades on, and sends no order once the difference is above `clock.offsetMax`.',
    do: 'Check that time synchronization runs on this machine: `timedatectl`.',
  },
  'clock-step': {
    severity: 'warning',
    title: 'a clock was set, or the machine slept',
    did: 'The bot keeps its own time until the exchange’s time confirms the new one, and sends no order while the difference is too large.',
    do: 'Check that time synchronization runs on this machine, and that it never sleeps: `timedatectl`.',
  },
  'touch-jump': {
    severity: 'info',
    title: 'a price jumped without a trade',
    did: 'The bot distrusts this price, and places no order in the market for `limits.jumpPause`.',
    do: 'Nothing, unless it repeats: then look at the market’s news before the strategies trade on.',
    scope: ['ticker'],
  },
  'repeated-execution': {
    severity: 'critical',
    title: 'fills come faster than the limit allows',
    did: 'The bot halts this market or strategy, and cancels its orders.',
    do: 'Look at its last fills and orders. If they are wanted, raise the limit; then `presage resume --config CONFIG --scope SCOPE --reason …`.',
    scope: ['scope', 'of'],
  },
  'other-session': {
    severity: 'critical',
    title: 'another session of Presage trades on this account',
    did: 'The session that began later does not begin, or halts its account. Neither cancels the other’s orders.',
    do: 'Stop one of the two bots. If the other one is dead, start with `presage run --config CONFIG --take-over SESSION`.',
    scope: ['session'],
  },
  'canceled-elsewhere': {
    severity: 'warning',
    title: 'orders are canceled by another program or person',
    did: 'The bot counts the orders as canceled, and trades on.',
    do: 'Look for another program or person with a key of this account.',
  },
};

/** Returns the draft of an alarm. `configFile` is put into the commands of the advice. */
export function draftOfAlarm({ code, text, figures }: Alarm, bot: string, configFile: string): AlertDraft {
  const { severity, title, did, do: advice, scope = [], lasting } = ALARM_TEXTS[code];
  return {
    severity: lasting !== undefined && isLasting(figures, lasting) ? 'critical' : severity,
    code,
    scope: scopeOf(figures, scope),
    title: `${bot}: ${title}`,
    happened: cleanPart(sentence(text)),
    did,
    do: advice.replaceAll('CONFIG', () => configFile).replaceAll('SCOPE', () => haltScopeOf(figures)),
    figures,
  };
}

const isLasting = (figures: Figures, name: string): boolean => Number(figures[name]) > CRITICAL_AFTER_MS;

const scopeOf = (figures: Figures, names: readonly string[]): string =>
  cleanPart(names.map((name) => figures[name] ?? '').join('/'));

/** The scope of the halt, in the form of `--scope`. */
const haltScopeOf = ({ scope = 'account', of = '' }: Figures): string =>
  of === '' ? cleanPart(String(scope)) : cleanPart(`${scope}=${of}`);

/** Adds a capital and a full stop. */
export function sentence(text: string): string {
  const [first = ''] = text;
  return `${first.toUpperCase()}${text.slice(first.length)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
