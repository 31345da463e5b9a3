// Sending to each kind of target: what a receiver on this machine gets, what its answers mean, and that no secret shows.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SendResult, openTarget } from '../../../src/alerts/targets/alert-target.ts';
import { runCommand } from '../../../src/alerts/targets/command-run.ts';
import { ANSWER_BYTES_MAX, postOnce } from '../../../src/alerts/targets/http-post.ts';
import { hideSecretValues, readSecret } from '../../../src/alerts/targets/secret-values.ts';
import type { TargetConfig } from '../../../src/config/alerts-config.ts';
import { Receiver, aRecord } from '../../support/alerts/alert-drafts.ts';

let receiver: Receiver;
let folder: string;
beforeEach(async () => {
  receiver = await Receiver.open();
  folder = mkdtempSync(join(tmpdir(), 'presage-alerts-'));
});
afterEach(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

function secret(name: string, value: string, mode = 0o600): { readonly file: string } {
  const file = join(folder, name);
  writeFileSync(file, `${value}\n`, { mode });
  return { file };
}

const TARGET = { name: 'x', severity: 'info' } as const;

/** A target of each kind that posts to the receiver. */
function targets(): TargetConfig[] {
  const { url } = receiver;
  return [
    { type: 'webhook', ...TARGET, url: `${url}/hook`, secret: secret('key', 'sign-key-1') },
    { type: 'slack', ...TARGET, webhook: secret('slack', `${url}/services/T1/B1/slack-secret`) },
    { type: 'discord', ...TARGET, webhook: secret('discord', `${url}/api/webhooks/1/discord-secret`) },
    { type: 'telegram', ...TARGET, token: secret('telegram', '123:telegram-secret'), chat: '-100', url },
    { type: 'ntfy', ...TARGET, topic: secret('topic', 'topic-secret'), token: secret('token', 'tk_secret'), url },
  ];
}

const sendTo = (config: TargetConfig): Promise<SendResult> => openTarget(config).send(aRecord());

describe('a target', () => {
  it('of each kind posts once, and is accepted', async () => {
    const results = await Promise.all(targets().map(sendTo));
    expect(results.map(({ outcome }) => outcome.type)).toEqual(Array.from({ length: 5 }, () => 'sent'));
    expect(receiver.received.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'POST /',
      'POST /api/webhooks/1/discord-secret',
      'POST /bot123:telegram-secret/sendMessage',
      'POST /hook',
      'POST /services/T1/B1/slack-secret',
    ]);
    for (const { headers } of receiver.received) expect(headers['content-type']).toContain('application/json');
  });

  it('follows no redirect', async () => {
    receiver.answer = (response) => void response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end();
    for (const config of targets()) {
      const { outcome, words } = await sendTo(config);
      expect(outcome).toEqual({ type: 'failed', afterMs: null });
      expect(words).toMatch(/^302: a redirect/);
    }
    expect(receiver.received).toHaveLength(5);
  });

  it('waits as long as a receiver asks: in the header, and in the body of Discord and Telegram', async () => {
    const [webhook, , discord, telegram] = targets();
    receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '7' }).end('slow down');
    expect((await sendTo(webhook!)).outcome).toEqual({ type: 'failed', afterMs: 7000 });
    receiver.answer = (response) => void response.writeHead(429).end('{"message":"limited","retry_after":1.5}');
    expect((await sendTo(discord!)).outcome).toEqual({ type: 'failed', afterMs: 1500 });
    receiver.answer = (response) => void response.writeHead(429).end('{"ok":false,"parameters":{"retry_after":9}}');
    expect((await sendTo(telegram!)).outcome).toEqual({ type: 'failed', afterMs: 9000 });
    receiver.answer = (response) => void response.writeHead(429, { 'retry-after': 'Wed, 21 Oct' }).end();
    expect((await sendTo(webhook!)).outcome).toEqual({ type: 'failed', afterMs: null });
  });

  it('takes a good status with a wrong body for no acceptance where the service says more', async () => {
    receiver.answer = (response) => void response.end('<html>Log in to the network</html>');
    const types = await Promise.all(
      targets().map(async (config) => [config.type, (await sendTo(config)).outcome.type]),
    );
    expect(Object.fromEntries(types)).toEqual({
      webhook: 'sent',
      discord: 'sent',
      slack: 'failed',
      telegram: 'failed',
      ntfy: 'failed',
    });
  });

  it('does not repeat what the receiver calls wrong, and repeats what it cannot do now', async () => {
    const [webhook] = targets();
    const outcomes: string[] = [];
    for (const status of [400, 413, 422, 401, 404, 500, 503]) {
      receiver.answer = (response) => void response.writeHead(status).end();
      outcomes.push((await sendTo(webhook!)).outcome.type);
    }
    expect(outcomes).toEqual(['refused', 'refused', 'refused', 'failed', 'failed', 'failed', 'failed']);
  });

  it('shows no secret that a receiver sends back', async () => {
    receiver.answer = (response, { path, headers, body }) =>
      void response.writeHead(400).end(`${path} ${headers.authorization ?? ''} ${body}`.slice(0, 180));
    for (const config of targets()) {
      const { words } = await sendTo(config);
      expect(words).not.toMatch(/slack-secret|discord-secret|telegram-secret|topic-secret|tk_secret|sign-key/);
    }
  });

  it('shows no part of a secret address that a receiver sends back', async () => {
    receiver.answer = (response) =>
      void response.writeHead(403).end('no hook slack-secret of team-of-16-letters; bad token query-secret');
    const { url } = receiver;
    const slack = { type: 'slack', ...TARGET, webhook: secret('s', `${url}/services/team-of-16-letters/slack-secret`) };
    const webhook = { type: 'webhook', ...TARGET, url: secret('w', `${url}/hook/x?token=query-secret`) };
    // tidy: as (the literals are those of a config)
    const shown = [slack, webhook].map(async (config) => (await sendTo(config as TargetConfig)).words);
    expect(await Promise.all(shown)).toEqual([
      '403: no hook [secret] of [secret]; bad token query-secret',
      '403: no hook slack-secret of team-of-16-letters; bad token [secret]',
    ]);
  });
});

describe('an answer', () => {
  it('is read to 64 KiB and no further, although the receiver never stops', async () => {
    receiver.answer = (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const answer = await postOnce({ url: receiver.url, body: '' });
    expect(answer).toMatchObject({ type: 'answered', status: 200 });
    expect(answer.type === 'answered' && answer.body.length).toBe(ANSWER_BYTES_MAX);
  });

  it('that does not come within the time is none, and its reason names no path', async () => {
    receiver.answer = () => undefined;
    const answer = await postOnce({ url: `${receiver.url}/secret-path`, body: '', timeoutMs: 200 });
    expect(answer).toEqual({ type: 'unanswered', reason: 'no answer within 200 ms' });
    const gone = await postOnce({ url: 'http://127.0.0.1:1/secret-path' });
    expect(gone.type === 'unanswered' && gone.reason).toMatch(/^(?!.*secret-path).*ECONNREFUSED/);
  });

  it('whose body stalls counts by its status', async () => {
    receiver.answer = (response) => {
      response.writeHead(200);
      response.write('ok');
    };
    expect(await postOnce({ url: receiver.url, body: '', timeoutMs: 300 })).toMatchObject({ status: 200, body: 'ok' });
  });
});

describe('a command', () => {
  const script = (text: string): string[] => [process.execPath, '-e', text];

  it('gets the record on its standard input, no shell and an empty environment', async () => {
    const out = join(folder, 'out.json');
    const text = `const t=require('fs').readFileSync(0,'utf8');require('fs').writeFileSync(${JSON.stringify(out)},JSON.stringify({t,e:Object.keys(process.env),a:process.argv.slice(1)}))`;
    const command = [...script(text), '$(touch x)', '; rm'];
    const { outcome } = await sendTo({ type: 'command', ...TARGET, command });
    expect(outcome).toEqual({ type: 'sent' });
    const { t, e, a } = JSON.parse(readFileSync(out, 'utf8')) as { t: string; e: string[]; a: string[] };
    expect(JSON.parse(t)).toEqual(aRecord());
    expect(e.filter((name) => name !== '__CF_USER_TEXT_ENCODING')).toEqual([]);
    expect(a).toEqual(['$(touch x)', '; rm']);
  });

  it('that fails, cannot be started or takes too long is tried again', async () => {
    expect(await runCommand(script('process.exit(3)'), '')).toEqual({ problem: 'it ended with exit code 3' });
    expect(await runCommand([join(folder, 'missing')], '')).toEqual({ problem: 'it could not be started: ENOENT' });
    expect(await runCommand(script('setInterval(()=>0,1000)'), '', 300)).toEqual({
      problem: 'it took longer than 300 ms',
    });
  });

  it('leaves no process behind that it started, beyond the time limit', async () => {
    const file = join(folder, 'pid');
    const child = `require('child_process').spawn(process.execPath,['-e','setInterval(()=>0,1000)'],{stdio:'ignore'})`;
    const text = `require('fs').writeFileSync(${JSON.stringify(file)},String(${child}.pid));process.exit(0)`;
    expect(await runCommand(script(text), '', 2000)).toEqual({ problem: null });
    const pid = Number(readFileSync(file, 'utf8'));
    const isGone = (): boolean => {
      try {
        // A process that ended stays in the table until its parent has looked at it.
        return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
      } catch {
        return true;
      }
    };
    expect(isGone()).toBe(process.platform !== 'linux');
    await expect.poll(isGone, { timeout: 20_000 }).toBe(true);
  });
});

describe('a secret', () => {
  it('is refused when others can read its file, when it is empty or missing, and is never quoted', () => {
    expect(readSecret(secret('good', 'value-1'))).toBe('value-1');
    expect(() => readSecret(secret('open', 'value-2', 0o644))).toThrow(/only its owner can read/);
    expect(() => readSecret(secret('empty', ''))).toThrow(/found nothing/);
    expect(() => readSecret({ file: join(folder, 'none') })).toThrow(/ENOENT/);
    expect(() => readSecret({ environment: 'PRESAGE_NO_SUCH_VARIABLE' })).toThrow(
      /PRESAGE_NO_SUCH_VARIABLE.*found nothing/,
    );
    expect(() => readSecret(secret('lines', 'va\nlue-3'))).toThrow(/^(?!.*lue-3).*one line/);
  });

  it('is hidden in every form that an address or JSON gives it', () => {
    const value = 'a/b "c"';
    const shown = `${value} ${encodeURIComponent(value)} ${JSON.stringify(value)}`;
    expect(hideSecretValues(shown, [value])).toBe('[secret] [secret] "[secret]"');
  });
});
