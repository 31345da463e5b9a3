// Alerts of a session's end and of the disk. Must never quote a fault's stack.
import type { SessionEnd } from '../../runtime/session/live-session.ts';
import type { Severity } from '../../config/alerts-config.ts';
import { countedNoun } from '../../report/text/figure-text.ts';
import { sentence } from './alarm-drafts.ts';
import type { AlertDraft } from './alert-record.ts';
import { cleanPart } from './alert-text.ts';

/** The bot of a session. */
export interface EndedBot {
  readonly bot: string;
  readonly configFile: string;
}

interface EndWords {
  readonly severity: Severity;
  readonly title: string;
  readonly happened: string;
  readonly did: string;
  readonly advice: string;
  /** Number of orders that may rest, or `null`. */
  readonly ordersLeft: number | null;
}

/** Returns the draft for the end of a session. */
export function draftOfEnd(end: SessionEnd, { bot, configFile }: EndedBot): AlertDraft {
  const { severity, title, happened, did, advice, ordersLeft } = endWords(end);
  return {
    severity,
    code: 'session-end',
    scope: '',
    title: `${bot} ${title}`,
    happened: cleanPart(sentence(happened)),
    did,
    do: advice.replaceAll('CONFIG', () => configFile),
    figures: { end: end.type, ...(ordersLeft !== null && { ordersLeft }) },
  };
}

function endWords(end: SessionEnd): EndWords {
  switch (end.type) {
    case 'stopped':
      return stoppedWords(end.isReconciled);
    case 'refused':
      return {
        severity: 'critical',
        title: 'could not begin',
        happened: end.reason,
        did: 'No order was placed, and the program ended.',
        advice: 'Mend the cause: `presage doctor --config CONFIG` names most of them. Then start the bot again.',
        ordersLeft: 0,
      };
    case 'timed-out':
      return {
        severity: 'critical',
        title: 'ended while orders may rest',
        happened: `Stopping took longer than orders.stopWithin: ${countedNoun(end.ordersLeft, 'order')} may still rest.`,
        did: 'The program ended. The watchdog, where there is one, cancels them.',
        advice: 'Run `presage halt --config CONFIG`, and look at the exchange’s list of orders.',
        ordersLeft: end.ordersLeft,
      };
    case 'fault':
      return faultWords(end.fault, end.ordersLeft);
  }
}

function stoppedWords(isReconciled: boolean): EndWords {
  return {
    severity: isReconciled ? 'info' : 'warning',
    title: isReconciled ? 'stopped' : 'stopped, and its figures differ from the exchange’s',
    happened: isReconciled
      ? 'The session stopped in order, and its figures equal the exchange’s.'
      : 'The session stopped in order, and its last figures differ from the exchange’s or could not be read.',
    did: 'It canceled every order. Positions stay.',
    advice: isReconciled
      ? 'Nothing. A check that expects the heartbeat now misses it.'
      : 'Compare positions and cash with the exchange before the next start.',
    ordersLeft: 0,
  };
}

function faultWords(fault: unknown, ordersLeft: number | null): EndWords {
  const left =
    ordersLeft === 0
      ? 'the exchange’s list of its orders is empty'
      : ordersLeft === null
        ? 'the exchange’s list of its orders could not be read: orders may rest'
        : `${countedNoun(ordersLeft, 'order')} still ${ordersLeft === 1 ? 'rests' : 'rest'}`;
  const message = fault instanceof Error ? fault.message : String(fault);
  const isDiskFull = DISK_FULL.test(message);
  return {
    severity: 'critical',
    title: isDiskFull ? 'ended: the disk is full' : 'ended after a fault',
    happened: `${isDiskFull ? 'The disk is full' : 'An invariant of the program failed'}: ${message}`,
    did: `It stopped trading and canceled its orders; ${left}.`,
    advice:
      ordersLeft === 0
        ? `${isDiskFull ? 'Make room on the disk of the data folder' : 'Read the end of the log'}, then start the bot again. It resolves what was in flight before it trades.`
        : 'Run `presage halt --config CONFIG`, look at the exchange’s list of orders, then read the end of the log.',
    ordersLeft,
  };
}

/** Code of the system's error for a write without room, which the fault's message ends with. */
const DISK_FULL = /\b(?:ENOSPC|EDQUOT)\b/;

/** Below this share of `diskMegabytesMin` the disk is critical. */
const CRITICAL_SHARE = 0.1;

/** Free space of the disk of a data folder. */
export interface DiskSpace {
  readonly freeMegabytes: number;
  readonly minMegabytes: number;
}

/** Returns the draft for a disk with little space, or `null`. */
export function draftOfDisk({ freeMegabytes, minMegabytes }: DiskSpace, bot: string): AlertDraft | null {
  if (freeMegabytes >= minMegabytes) return null;
  return {
    severity: freeMegabytes < minMegabytes * CRITICAL_SHARE ? 'critical' : 'warning',
    code: 'disk',
    scope: '',
    title: `${bot}: the disk fills up`,
    happened: `${freeMegabytes} MB are free on the disk of the data folder; alerts.diskMegabytesMin is ${minMegabytes}.`,
    did: 'The bot trades on. When its journal cannot be written any longer, it cancels its orders and ends.',
    do: 'Remove old files, or lower `journal.keepMegabytes` and start the bot again.',
    figures: { freeMegabytes, minMegabytes },
  };
}
