// The files of config/deploy: systemd accepts the units, the image and its services run without rights that they do not
// need, and every file that one of them names exists.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT } from '../../docs/pages.ts';

const FOLDER = join(ROOT, 'config/deploy');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const UNITS = ['presage@.service', 'presage-console.service'] as const;

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-units-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Verifies a unit whose program exists on this machine. */
function verifyUnit(name: string, change: (text: string) => string = (text) => text) {
  const file = join(folder, name);
  writeFileSync(file, change(read(name)).replaceAll('/usr/bin/presage', '/bin/true'));
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

describe.skipIf(!hasSystemd)('a unit (needs systemd-analyze)', () => {
  it.each(UNITS)('%s is accepted by systemd without a word', (name) => {
    expect(verifyUnit(name)).toEqual({ status: 0, said: '' });
  });

  it('with a misspelled setting is not', () => {
    expect(verifyUnit(UNITS[0], (text) => text.replace('KillMode=', 'KilMode=')).said).toContain('KilMode');
  });
});

describe('the unit of a bot', () => {
  const unit = read(UNITS[0]);

  it('lets the watchdog outlive a dead bot, and does not restart a wrong config', () => {
    expect(unit).toMatch(/^KillMode=control-group$/m);
    expect(unit).toMatch(/^RestartPreventExitStatus=2$/m);
    expect(unit).toMatch(/^TimeoutStopSec=90s$/m);
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute/m);
  });

  it('runs without rights, as does the console', () => {
    for (const text of UNITS.map(read))
      for (const setting of [
        'User=presage',
        'NoNewPrivileges=yes',
        'ProtectSystem=strict',
        'CapabilityBoundingSet=',
        'UMask=0077',
      ])
        expect(text.split('\n')).toContain(setting);
  });
});

const serviceSchema = z.looseObject({
  read_only: z.boolean().optional(),
  user: z.string().optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  network_mode: z.string().optional(),
  ports: z.array(z.unknown()).optional(),
  volumes: z.array(z.string()).default([]),
  secrets: z.array(z.string()).default([]),
});
const composeSchema = z.looseObject({
  services: z.record(z.string(), serviceSchema),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
  volumes: z.record(z.string(), z.unknown()),
});

describe('the compose file', () => {
  const compose = composeSchema.parse(parse(read('compose.yaml'), { merge: true }));
  const services = Object.entries(compose.services);

  it('has the bot, the console, Prometheus and Grafana', () => {
    expect(services.map(([name]) => name)).toEqual(['bot', 'console', 'prometheus', 'grafana']);
  });

  it.each(services)('%s has a read-only root, no capability, and no port beyond the machine', (_, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.ports).toBeUndefined();
  });

  it('gives the venue’s key to the bot alone', () => {
    expect(services.filter(([, { secrets }]) => secrets.includes('venue-key')).map(([name]) => name)).toEqual(['bot']);
  });

  it('lets the console listen on the loopback of the machine alone', () => {
    expect(JSON.stringify(compose.services['console'])).toContain('127.0.0.1:8765');
    expect(JSON.stringify(compose.services['prometheus'])).toContain('--web.listen-address=127.0.0.1:9090');
    expect(JSON.stringify(compose.services['grafana'])).toContain('"GF_SERVER_HTTP_ADDR":"127.0.0.1"');
  });

  it('names only volumes and secrets that it defines, and files that exist or that the operator brings', () => {
    const brought = new Set(['bot.yaml', 'key.pem', 'scrape-token'].map((name) => join(FOLDER, name)));
    // The folder of dashboards and rules is checked with its own files.
    const elsewhere = join(ROOT, 'config/monitoring');
    const sources = services.flatMap(([, { volumes }]) => volumes.map((each) => each.split(':')[0] ?? ''));
    const files = [
      ...sources.filter((source) => source.startsWith('.')),
      ...Object.values(compose.secrets).map(({ file }) => file),
    ];
    const missing = files
      .map((file) => normalize(join(FOLDER, file)))
      .filter((file) => !existsSync(file) && !brought.has(file) && !file.startsWith(elsewhere));
    expect(missing).toEqual([]);
    const named = sources.filter((source) => !source.startsWith('.'));
    expect(named.filter((name) => !(name in compose.volumes))).toEqual([]);
    const secrets = services.flatMap(([, service]) => service.secrets);
    expect(secrets.filter((name) => !(name in compose.secrets))).toEqual([]);
  });
});

/** Instructions of a Dockerfile: name and arguments, with continued lines joined. */
const instructionsOf = (text: string): (readonly [name: string, rest: string])[] =>
  text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      return [name, rest.trim()] as const;
    });

describe('the Dockerfile', () => {
  const instructions = instructionsOf(read('Dockerfile'));
  const last = (name: string): string => instructions.findLast(([each]) => each === name)?.[1] ?? '';

  it('has only instructions of Docker', () => {
    const known = 'ARG FROM WORKDIR COPY RUN ENV USER VOLUME STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(' ');
    expect(instructions.filter(([name]) => !known.includes(name))).toEqual([]);
    for (const name of ['ENTRYPOINT', 'CMD'])
      expect(z.array(z.string()).safeParse(JSON.parse(last(name))).success).toBe(true);
  });

  it('runs as a user without a name or rights, with the data as a volume', () => {
    expect(last('USER')).toBe('10001:10001');
    expect(last('VOLUME')).toBe('/data');
    expect(last('STOPSIGNAL')).toBe('SIGTERM');
    expect(last('HEALTHCHECK')).toContain('"--quiet"');
  });

  it('starts the entry script, which is in the image', () => {
    const [, , script = ''] = z.array(z.string()).parse(JSON.parse(last('ENTRYPOINT')));
    expect(existsSync(join(ROOT, script.replace(/^\/app\//, '')))).toBe(true);
  });

  it('keeps keys and data of the machine out of the image', () => {
    const ignored = read('Dockerfile.dockerignore').split('\n');
    for (const pattern of ['var', '**/*.pem', '.git', 'node_modules']) expect(ignored).toContain(pattern);
  });
});
