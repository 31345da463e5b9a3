// The text of an error that nothing caught: its line where an author's code threw it, else its whole stack.
import { expect, it } from 'vitest';
import { strayFaultText } from '../../src/app/author-faults.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const OURS = `    at Loop.run (${ROOT}src/runtime/live-loop.ts:9:1)`;

function thrown(...frames: readonly string[]): Error {
  const fault = new TypeError('odd');
  fault.stack = ['TypeError: odd', ...frames].join('\n');
  return fault;
}

const OUTSIDE = 'an error outside of every handler ended the command:';

it('names the line of an author, without a stack', () => {
  const frames = ['    at parse (/home/me/node_modules/csv/lib.js:9:1)', '    at late (/home/me/quoter.ts:12:3)', OURS];
  expect(strayFaultText(thrown(...frames))).toBe(`${OUTSIDE} TypeError: odd (quoter.ts:12)`);
});

it('has the whole stack of an error in a package, which may be one of this program', () => {
  const frame = '    at Socket.emit (/home/me/node_modules/ws/lib/websocket.js:9:1)';
  expect(strayFaultText(thrown(frame, OURS))).toBe(`${OUTSIDE}\nTypeError: odd\n${frame}\n${OURS}`);
});

it('asks for a report of an error in this program alone', () => {
  expect(strayFaultText(thrown(OURS))).toBe(
    `a fault in the program itself, please report it:\nTypeError: odd\n${OURS}`,
  );
});

it('accuses the program of no value that has no place', () => {
  expect(strayFaultText({ code: 5 })).toBe(`${OUTSIDE}\n{"code":5}, which is not an Error`);
});
