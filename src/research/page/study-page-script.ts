// tidy: table. The script of a study's page, as text: it selects trials by ranges of their parameters and values, in all drawings
// and in the table at once. Without the script, the page shows everything but the selection.
import { CONTROL_SCRIPT } from '../../report/page/control-script.ts';

const SELECT_SCRIPT = String.raw`
const SVG = 'http://www.w3.org/2000/svg';
const ranges = data.axes.map(function () { return [0, 1]; });
const drawing = document.getElementById('parallel');
const bands = [];
const fields = [];

/** Colors come from styles, so nothing is drawn again. */
function redrawAll() {}

function isSelected(shares) {
  return ranges.every(function (range, at) {
    if (range[0] <= 0 && range[1] >= 1) return true;
    const share = shares[at];
    return share !== null && share >= range[0] - 1e-6 && share <= range[1] + 1e-6;
  });
}

function yOf(share) { return data.bottom - share * (data.bottom - data.top); }

function show() {
  const isAny = ranges.some(function (range) { return range[0] > 0 || range[1] < 1; });
  const chosen = new Set();
  for (const row of data.trials) if (isSelected(row.slice(1))) chosen.add(String(row[0]));
  for (const mark of document.querySelectorAll('.frame [data-n]'))
    mark.classList.toggle('off', isAny && !chosen.has(mark.dataset.n));
  for (const row of document.querySelectorAll('#trials tbody tr')) row.hidden = isAny && !chosen.has(row.dataset.n);
  document.getElementById('selected').textContent = isAny
    ? chosen.size + ' of ' + data.trials.length + ' finished trials selected'
    : data.trials.length + (data.trials.length === 1 ? ' finished trial' : ' finished trials');
  ranges.forEach(function (range, at) {
    const isWhole = range[0] <= 0 && range[1] >= 1;
    bands[at].setAttribute('y', yOf(range[1]));
    bands[at].setAttribute('height', isWhole ? 0 : Math.max(2, yOf(range[0]) - yOf(range[1])));
    fields[at][0].value = Math.round(range[0] * 100);
    fields[at][1].value = Math.round(range[1] * 100);
  });
}

function shareAt(event) {
  const box = drawing.getBoundingClientRect();
  const y = ((event.clientY - box.top) / box.height) * drawing.viewBox.baseVal.height;
  return Math.min(1, Math.max(0, (data.bottom - y) / (data.bottom - data.top)));
}

function rectangle(className, x, width) {
  const made = document.createElementNS(SVG, 'rect');
  made.setAttribute('class', className);
  made.setAttribute('x', x - width / 2);
  made.setAttribute('width', width);
  made.setAttribute('y', data.top);
  drawing.append(made);
  return made;
}

function startBrush(axis, at) {
  bands.push(rectangle('band', axis.x, 22));
  const reach = rectangle('reach', axis.x, 44);
  reach.setAttribute('height', data.bottom - data.top);
  let from = null;
  reach.addEventListener('pointerdown', function (event) {
    from = shareAt(event);
    ranges[at] = [from, from];
    reach.setPointerCapture(event.pointerId);
  });
  reach.addEventListener('pointermove', function (event) {
    if (from === null) return;
    const to = shareAt(event);
    ranges[at] = [Math.min(from, to), Math.max(from, to)];
    show();
  });
  reach.addEventListener('pointerup', function () {
    if (from !== null && ranges[at][1] - ranges[at][0] < 0.01) ranges[at] = [0, 1];
    from = null;
    show();
  });
  reach.addEventListener('pointercancel', function () { from = null; });
}

function startFields(axis, at) {
  const group = document.createElement('fieldset');
  const name = document.createElement('legend');
  name.textContent = axis.name;
  group.append(name);
  fields.push(['from', 'to'].map(function (word, end) {
    const label = document.createElement('label');
    const input = document.createElement('input');
    Object.assign(input, { type: 'range', min: 0, max: 100, value: end * 100 });
    input.addEventListener('input', function () {
      const share = Number(input.value) / 100;
      ranges[at] = end === 0 ? [share, Math.max(share, ranges[at][1])] : [Math.min(share, ranges[at][0]), share];
      show();
    });
    label.append(word, input);
    group.append(label);
    return input;
  }));
  document.querySelector('.ranges').append(group);
}

/** A row under the pointer, or with the focus, marks its line. */
function startHints() {
  const mark = function (event, isOn) {
    const row = event.target.closest('tr');
    const line = row && drawing.querySelector('path[data-n="' + row.dataset.n + '"]');
    if (line) line.classList.toggle('hot', isOn);
  };
  const body = document.querySelector('#trials tbody');
  for (const name of ['mouseover', 'focusin']) body.addEventListener(name, function (event) { mark(event, true); });
  for (const name of ['mouseout', 'focusout']) body.addEventListener(name, function (event) { mark(event, false); });
}

startTheme();
startSorting();
if (drawing) {
  data.axes.forEach(startBrush);
  data.axes.forEach(startFields);
  document.getElementById('ranges').hidden = false;
  startHints();
  show();
}
`;

/** The whole script. It reads its data from the page. */
export const STUDY_SCRIPT = `(function () {
'use strict';
const data = JSON.parse(document.getElementById('study-data').textContent);
${CONTROL_SCRIPT}${SELECT_SCRIPT}
})();
`;
