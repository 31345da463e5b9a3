// The section `alerts` of a config: its defaults, its paths, and that it refuses and never quotes a secret.
import { describe, expect, it } from 'vitest';
import { alertsSchema, secretVariables, withAbsolutePlaces } from '../../src/config/alerts-config.ts';
import { ConfigError } from '../../src/base/config-error.ts';
import { parseYaml } from '../../src/config/yaml.ts';

const parse = (text: string) => parseYaml(text, { file: 'bot.yaml', schema: alertsSchema });

function faultOf(text: string): string {
  try {
    parse(text);
  } catch (fault) {
    if (fault instanceof ConfigError) return fault.message;
    throw fault;
  }
  return '';
}

const target = (members: string): string => `targets: [{ name: a, ${members} }]`;

describe('the section alerts', () => {
  it.each(['status={status}', '?up={stat}', '?up={status'])('refuses %s as a template of the heartbeat', (template) => {
    expect(faultOf(`heartbeat: { url: { file: b }, template: '${template}' }`)).toBe(
      `bot.yaml:1:32: heartbeat.template: expected a query that begins with ?, and names only {status}, {message} and {equity}, found "${template}"`,
    );
  });

  it('refuses a target with the name of the heartbeat', () => {
    expect(faultOf('targets: [{ name: heartbeat, type: slack, webhook: { file: a } }]')).toBe(
      'bot.yaml:1:13: targets[0].name: expected a name other than heartbeat, that of alerts.heartbeat, found "heartbeat"',
    );
  });

  it('names the environment variables of its secrets', () => {
    const alerts = parse(`
targets:
  - { name: a, type: webhook, url: { environment: HOOK }, secret: { environment: KEY } }
  - { name: b, type: slack, webhook: { file: slack } }
  - { name: c, type: command, command: [environment, HOME] }
heartbeat: { url: { environment: PUSH } }
`);
    expect(secretVariables(alerts)).toEqual(['HOOK', 'KEY', 'PUSH']);
    expect(secretVariables(parse('{}'))).toEqual([]);
  });

  it('reads every kind of target, with defaults', () => {
    const { targets, heartbeat, diskMegabytesMin } = parse(`
targets:
  - { name: a, type: webhook, url: https://x.example/hook, secret: { file: key } }
  - { name: b, type: slack, webhook: { environment: SLACK } }
  - { name: c, type: discord, webhook: { file: d } }
  - { name: d, type: telegram, token: { file: t }, chat: -1001234567890 }
  - { name: e, type: ntfy, topic: { file: n }, quiet: { from: 22:30, to: 07:00, zone: Europe/Berlin }, severity: critical }
  - { name: f, type: command, command: [./page.sh, --now] }
heartbeat: { url: { environment: BEAT } }`);
    expect(targets.map(({ type, severity }) => `${type} ${severity}`)).toEqual([
      'webhook warning',
      'slack warning',
      'discord warning',
      'telegram warning',
      'ntfy critical',
      'command warning',
    ]);
    expect(targets[3]).toMatchObject({ chat: '-1001234567890', url: 'https://api.telegram.org' });
    expect(targets[4]).toMatchObject({ quiet: { from: 1350, to: 420 }, url: 'https://ntfy.sh' });
    expect(heartbeat).toEqual({ url: { environment: 'BEAT' }, every: 60_000_000 });
    expect(diskMegabytesMin).toBe(1000);
  });

  it('makes the paths of secrets and commands absolute', () => {
    const alerts = parse(`
targets:
  - { name: a, type: webhook, url: { file: u }, secret: { file: /abs/key } }
  - { name: b, type: command, command: [./page.sh] }
  - { name: c, type: command, command: [mail] }
heartbeat: { url: { file: beat } }`);
    const { targets, heartbeat } = withAbsolutePlaces(alerts, '/etc/presage');
    expect(targets).toMatchObject([
      { url: { file: '/etc/presage/u' }, secret: { file: '/abs/key' } },
      { command: ['/etc/presage/page.sh'] },
      { command: ['mail'] },
    ]);
    expect(heartbeat?.url).toEqual({ file: '/etc/presage/beat' });
  });

  it('refuses a secret in the config itself, and does not quote it', () => {
    const secrets = [
      target('type: slack, webhook: https://hooks.slack.example/services/T1/B1/hush-hush'),
      target('type: discord, webhook: https://discord.example/api/webhooks/1/hush-hush'),
      target('type: telegram, token: "123:hush-hush", chat: 1'),
      target('type: ntfy, topic: hush-hush'),
      target('type: ntfy, topic: { file: t }, token: tk_hush-hush'),
      target('type: webhook, url: https://x.example/, secret: hush-hush'),
      target('type: webhook, url: https://x.example/?key=hush-hush'),
      target('type: webhook, url: https://me:hush-hush@x.example/'),
      target('type: slack, webhook: { file: https://hooks.slack.example/hush-hush }'),
      target('type: slack, webhook: { environment: https://hooks.slack.example/hush-hush }'),
      'heartbeat: { url: http://hc.example/hush-hush }',
    ];
    for (const text of secrets) {
      const fault = faultOf(text);
      expect(fault).toMatch(/bot\.yaml:\d+:\d+: .*expected a secret outside this file/);
      expect(fault).toContain('not shown');
      expect(fault).not.toContain('hush');
    }
  });

  it('refuses addresses that are not encrypted, unless they are on this machine', () => {
    expect(faultOf(target('type: webhook, url: http://192.168.1.5/hook'))).toContain('https://');
    expect(faultOf(target('type: webhook, url: http://127.0.0.1:8080/hook'))).toBe('');
    expect(faultOf(target('type: webhook, url: "http://[::1]:8080/hook"'))).toBe('');
    expect(faultOf(target('type: webhook, url: ftp://x.example/'))).toContain('https://');
  });

  it('refuses unknown zones and times, equal quiet hours, and a name that is used twice', () => {
    const quiet = (members: string): string => faultOf(target(`type: command, command: [x], quiet: { ${members} }`));
    expect(quiet('from: 22:00, to: 07:00, zone: Berlin')).toContain('an IANA time zone');
    expect(quiet('from: 24:00, to: 07:00, zone: UTC')).toContain('a time of day such as 22:30');
    expect(quiet('from: 07:00, to: 07:00, zone: UTC')).toContain('a time other than from');
    const twice = '{ name: a, type: command, command: [x] }';
    expect(faultOf(`targets: [${twice}, ${twice}]`)).toContain('a name not used before');
    expect(faultOf(target('type: pager, command: [x]'))).toContain('one of webhook, slack, discord');
  });
});
