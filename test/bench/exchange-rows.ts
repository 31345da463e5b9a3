// The rows of the local exchange: signed orders and its feed, each beside a simple server.
import { MESSAGES_PER_SECOND } from './feed-load.ts';
import type { Row } from './scenario.ts';

/** Rows of signed orders into the local exchange, and of the bare server beside it. */
function orderRows(scenario: string, label: string, target: number): readonly Row[] {
  const bare = `${scenario}-bare`;
  const micros = { scenario, unit: 'µs', isLess: true } as const;
  return [
    { label, scenario, metric: 'ordersPerSecond', unit: '/s', against: bare, target },
    { ...micros, label: '  processor time of an order: exchange, all threads', metric: 'serverMicros', against: bare },
    { ...micros, label: '    of these, its event loop', metric: 'loopMicros', against: bare },
    { ...micros, label: '    and the sender', metric: 'senderMicros' },
    { label: '  a bare server that verifies alike', scenario: bare, metric: 'ordersPerSecond', unit: '/s' },
  ];
}

/** Rows of a feed: messages received, reads beside them, and processor time. */
function feedRows(scenario: string, label: string, { against }: { readonly against?: string } = {}): readonly Row[] {
  const isOurs = against !== undefined;
  const other = isOurs ? { against } : {};
  const micros = { scenario, unit: 'µs', isLess: true } as const;
  const target = isOurs ? { target: MESSAGES_PER_SECOND } : {};
  return [
    { label, scenario, metric: 'messagesPerSecond', unit: '/s', ...other, ...target },
    { label: '  subscribers that it closed', scenario, metric: 'closed', unit: '', isLess: true },
    { label: '  reads meanwhile, p50', scenario, metric: 'restP50', unit: 'ms', isLess: true, ...other },
    {
      label: '  reads meanwhile, p99',
      scenario,
      metric: 'restP99',
      unit: 'ms',
      isLess: true,
      ...other,
      ...(isOurs ? { target: 50 } : {}),
    },
    { label: '  reads before any subscribes, p99', scenario, metric: 'quietP99', unit: 'ms', isLess: true },
    { ...micros, label: '  processor time of a message: exchange, all threads', metric: 'serverMicros', ...other },
    { ...micros, label: '    of these, its event loop', metric: 'loopMicros', ...other },
    { ...micros, label: '    and the subscribers', metric: 'readersMicros' },
  ];
}

export const exchangeRows: readonly Row[] = [
  ...orderRows('exchange', 'local exchange: orders signed with P-256', 8000),
  ...orderRows('exchange-rsa', 'local exchange: orders signed with RSA', 4000),
  ...feedRows('exchange-feed', 'local exchange: feed messages to 500 sockets', { against: 'exchange-feed-naive' }),
  ...feedRows('exchange-feed-naive', '  the same through a simple feed'),
];
