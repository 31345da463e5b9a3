// tidy: table. The page's own script, as text: the plots. It runs in a browser, without a network. Must never turn text
// into markup: names are set as text content.
export const PLOT_SCRIPT = String.raw`
function ink(name) { return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim(); }
function faded(color, alpha) { return color + Math.round(alpha * 255).toString(16).padStart(2, '0'); }
function long(color) { return color.length === 4 ? '#' + color[1] + color[1] + color[2] + color[2] + color[3] + color[3] : color; }

/** Formats a value of an axis as briefly as possible while it still differs from the next value, a step away. */
const SCALES = [[1e9, 'B'], [1e6, 'M'], [1e3, 'k'], [1, '']];
function short(value, step) {
  const decimalsOf = function (scale) {
    let decimals = 0;
    for (let shown = step / scale; decimals < 7 && Math.abs(shown - Math.round(shown)) > 1e-6; shown *= 10) decimals += 1;
    return decimals;
  };
  const chosen = SCALES.find(function (each) {
    return each[0] === 1 || (Math.abs(value) >= 10 * each[0] && decimalsOf(each[0]) <= 1);
  });
  const decimals = Math.min(6, decimalsOf(chosen[0]));
  return (value / chosen[0]).toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }) + chosen[1];
}
function minus(text) { return text.replace('-', '−'); }
function dollars(value) {
  if (value == null) return '–';
  const size = Math.abs(value);
  const text = size.toLocaleString('en-US', { minimumFractionDigits: size > 0 && size < 1 ? 4 : 2, maximumFractionDigits: size > 0 && size < 1 ? 4 : 2 });
  return (value < 0 ? '−' : '') + '$' + text;
}
function cents(value) { return value == null ? '–' : (value > 0 ? '+' : '') + minus(value.toFixed(2)) + '¢'; }
function two(value) { return String(value).padStart(2, '0'); }
function clock(seconds) {
  if (seconds == null) return '–';
  const date = new Date(seconds * 1000);
  return date.getUTCFullYear() + '-' + two(date.getUTCMonth() + 1) + '-' + two(date.getUTCDate()) + ' ' +
    two(date.getUTCHours()) + ':' + two(date.getUTCMinutes()) + ':' + two(date.getUTCSeconds());
}

/** All plots. They are redrawn for another width or other colors. */
const plots = [];

function mount(id, make) {
  const host = document.getElementById(id);
  if (!host) return;
  const entry = { host, plot: null, width: 0 };
  entry.draw = function () {
    const width = Math.floor(host.clientWidth);
    if (width === 0) return;
    entry.width = width;
    if (entry.plot) entry.plot.destroy();
    host.replaceChildren();
    entry.plot = make(host, width);
  };
  plots.push(entry);
  entry.draw();
  new ResizeObserver(function () {
    const width = Math.floor(host.clientWidth);
    if (width === entry.width || width === 0) return;
    entry.width = width;
    if (entry.plot) entry.plot.setSize({ width, height: entry.plot.height });
    else entry.draw();
  }).observe(host);
}
function redrawAll() { for (const entry of plots) entry.draw(); }

/** Width for the values of an axis, the same in all plots over time and in the coverage strip beneath them. */
const widest = data.equity.equity.reduce(function (most, each) { return Math.max(most, Math.abs(each)); }, 0);
function gutter() {
  const room = (innerWidth <= 720 ? 62 : 72) + Math.max(0, Math.ceil(Math.log10(widest + 1)) - 5) * 9;
  document.documentElement.style.setProperty('--gutter', room + 'px');
  return room;
}
function axis(more) {
  return Object.assign({
    stroke: ink('soft'), font: '12px system-ui, sans-serif',
    grid: { stroke: ink('faint'), width: 1 }, ticks: { stroke: ink('line'), width: 1, size: 5 },
  }, more);
}
function sideAxis(show, label) {
  return axis({ size: gutter(), values: function (plot, splits, at, space, step) {
    return splits.map(function (each) { return each == null ? '' : show(each, step); }); },
    label, labelSize: label ? 18 : 0, labelFont: '12px system-ui, sans-serif', labelGap: 0 });
}
/** Formats of times, as numbers in UTC. A time within a day has its date below it. */
const TIMES = [
  [31536000, '{YYYY}', null, null, null, null, null, null, 1],
  [86400, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [0.001, ':{ss}.{fff}', '\n{YYYY}-{MM}-{DD} {HH}:{mm}', null, '\n{MM}-{DD} {HH}:{mm}', null, '\n{HH}:{mm}', null, 1],
];
function timeAxis(isBare) {
  return axis(isBare ? { space: 70, size: 8, values: function (plot, splits) { return splits.map(function () { return ''; }); } }
    : { space: 80, values: TIMES });
}
const utc = function (seconds) { return uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'); };
const clockSeries = { label: 'UTC', value: function (plot, at) { return clock(at); } };

/** Shades the gaps of the tape, behind everything else. */
function shadeGaps(plot) {
  const context = plot.ctx;
  context.save();
  context.fillStyle = faded(long(ink('loss')), 0.12);
  for (const gap of data.gaps) {
    const left = Math.max(plot.bbox.left, plot.valToPos(gap[0], 'x', true));
    const right = Math.min(plot.bbox.left + plot.bbox.width, plot.valToPos(gap[1], 'x', true));
    if (right > left) context.fillRect(left, plot.bbox.top, Math.max(1, right - left), plot.bbox.height);
  }
  context.restore();
}

/** Puts the legend beside the title. It shows the last values while the pointer is elsewhere. */
function legendBeside(host) {
  return { mount: function (plot, legend) {
    const title = host.previousElementSibling;
    for (const old of title.querySelectorAll('.u-legend')) old.remove();
    title.append(legend);
  } };
}
function showLast(plot) {
  const show = function () { plot.setLegend({ idx: plot.data[0].length - 1 }, false); };
  plot.over.addEventListener('mouseleave', function () { setTimeout(show, 0); });
  setTimeout(show, 0);
}

function timePlot(id, height, series, values, show) {
  const isLast = id === 'plot-locked';
  mount(id, function (host, width) {
    return new uPlot({
      legend: legendBeside(host),
      width, height, tzDate: utc,
      padding: [8, 16, 0, 0],
      cursor: { sync: { key: 'time' }, drag: { x: true, y: false }, points: { size: 7 } },
      scales: { x: { time: true } },
      axes: [timeAxis(!isLast), sideAxis(show)],
      series: [clockSeries].concat(series()),
      hooks: { drawClear: [shadeGaps], ready: [showLast] },
    }, [data.equity.at].concat(values), host);
  });
}

function drawTime() {
  const dollarsShort = function (value, step) { return (value < 0 ? '−$' : '$') + short(Math.abs(value), step); };
  const show = function (plot, value) { return dollars(value); };
  const area = function (name, label, more) {
    const color = ink(name);
    return Object.assign({ label, stroke: color, width: 1.6, fill: faded(long(color), 0.1), value: show, points: { show: false } }, more);
  };
  timePlot('plot-equity', 250, function () { return [area('accent', 'Equity', { fill: undefined })]; }, [data.equity.equity], dollarsShort);
  timePlot('plot-drawdown', 110, function () { return [area('loss', 'Below the peak')]; }, [data.equity.drawdown], dollarsShort);
  timePlot('plot-locked', 130, function () {
    return [area('locked', 'Locked', { paths: uPlot.paths.stepped({ align: 1 }) })];
  }, [data.equity.locked], dollarsShort);
}

const HORIZONS = ['at once', '1 s', '1 min', 'close', 'settlement'];

function whiskers(plot) {
  const context = plot.ctx;
  const ratio = devicePixelRatio || 1;
  context.save();
  data.markouts.forEach(function (curve, at) {
    if (!plot.series[at + 1].show) return;
    context.strokeStyle = faded(long(ink(curve.of)), 0.55);
    context.lineWidth = 1.5 * ratio;
    curve.low.forEach(function (low, horizon) {
      const high = curve.high[horizon];
      if (low == null || high == null) return;
      const x = plot.valToPos(horizon, 'x', true) + (at - 1) * 4 * ratio;
      const ceiling = plot.bbox.top, floor = plot.bbox.top + plot.bbox.height;
      const top = plot.valToPos(high, 'y', true), bottom = plot.valToPos(low, 'y', true);
      context.beginPath();
      context.moveTo(x, Math.max(ceiling, top)); context.lineTo(x, Math.min(floor, bottom));
      // An end without a bar is outside the plot.
      if (top >= ceiling) { context.moveTo(x - 3 * ratio, top); context.lineTo(x + 3 * ratio, top); }
      if (bottom <= floor) { context.moveTo(x - 3 * ratio, bottom); context.lineTo(x + 3 * ratio, bottom); }
      context.stroke();
    });
  });
  context.restore();
}
function zeroLine(plot) {
  const y = plot.valToPos(0, 'y', true);
  if (y < plot.bbox.top || y > plot.bbox.top + plot.bbox.height) return;
  plot.ctx.save();
  plot.ctx.strokeStyle = ink('soft');
  plot.ctx.globalAlpha = 0.6;
  plot.ctx.setLineDash([4, 4]);
  plot.ctx.beginPath();
  plot.ctx.moveTo(plot.bbox.left, y);
  plot.ctx.lineTo(plot.bbox.left + plot.bbox.width, y);
  plot.ctx.stroke();
  plot.ctx.restore();
}

function drawMarkouts() {
  if (data.markouts.length === 0) return;
  mount('plot-markouts', function (host, width) {
    return new uPlot({
      width, height: 250, padding: [10, 16, 0, 0],
      cursor: { drag: { x: false, y: false }, points: { size: 8 } },
      scales: { x: { time: false, range: [-0.3, 4.3] }, y: { range: function (plot, low, high) {
        // Leaves room for the intervals, too, as long as they do not flatten the lines.
        const span = Math.max(0.5, Math.max(0, high) - Math.min(0, low));
        const ends = [low, high, 0];
        for (const curve of data.markouts) for (const end of curve.low.concat(curve.high)) if (end != null) ends.push(end);
        return uPlot.rangeNum(Math.max(Math.min.apply(null, ends), Math.min(0, low) - span / 2),
          Math.min(Math.max.apply(null, ends), Math.max(0, high) + span / 2), 0.08, true); } } },
      axes: [axis({ splits: function () { return [0, 1, 2, 3, 4]; }, values: function () { return HORIZONS; }, grid: { show: false } }),
        sideAxis(function (value, step) { return minus(short(value, step)) + '¢'; })],
      series: [{ label: 'After', value: function (plot, at) { return at == null ? '–' : HORIZONS[at]; } }].concat(data.markouts.map(function (curve) {
        return { label: curve.of, stroke: ink(curve.of), width: curve.of === 'all' ? 1.4 : 2, dash: curve.of === 'all' ? [5, 4] : undefined,
          spanGaps: true, points: { show: true, size: 7, fill: ink('card') }, value: function (plot, value) { return cents(value); } };
      })),
      hooks: { drawClear: [zeroLine], draw: [whiskers] },
    }, [[0, 1, 2, 3, 4]].concat(data.markouts.map(function (curve) { return curve.each; })), host);
  });
}

function drawCalibration() {
  const scored = data.calibration.filter(function (each) { return each.own.length > 0; });
  if (scored.length === 0) { const host = document.getElementById('plot-calibration'); if (host) host.remove(); return; }
  const colors = ['maker', 'taker', 'locked', 'gain'];
  const tables = [];
  const series = [];
  scored.forEach(function (each, at) {
    const columns = function (bins) { return [bins.map(function (bin) { return bin[0]; }), bins.map(function (bin) { return bin[1]; })]; };
    tables.push(columns(each.own));
    series.push({ label: each.name, color: colors[at % colors.length], bins: each.own });
    if (each.market.length > 0 && at === 0) { tables.push(columns(each.market)); series.push({ label: 'market', color: 'all', bins: each.market, dash: [5, 4] }); }
  });
  const percent = function (value) { return value == null ? '–' : (value * 100).toFixed(1) + '%'; };
  mount('plot-calibration', function (host, width) {
    return new uPlot({
      width, height: 250, padding: [10, 16, 0, 0],
      cursor: { drag: { x: false, y: false }, points: { size: 8 } },
      scales: { x: { time: false, range: [0, 1] }, y: { range: [0, 1] } },
      axes: [axis({ values: function (plot, splits) { return splits.map(function (each) { return Math.round(each * 100) + '%'; }); } }),
        sideAxis(function (value) { return Math.round(value * 100) + '%'; })],
      series: [{ label: 'Forecast', value: function (plot, value) { return percent(value); } }].concat(series.map(function (each) {
        return { label: each.label + ' came true', stroke: ink(each.color), width: 2, dash: each.dash, spanGaps: true,
          points: { show: true, size: 7, fill: ink('card') }, value: function (plot, value) { return percent(value); } };
      })),
      hooks: { drawClear: [function (plot) {
        const context = plot.ctx;
        context.save();
        context.strokeStyle = ink('soft'); context.globalAlpha = 0.6; context.setLineDash([4, 4]);
        context.beginPath();
        context.moveTo(plot.valToPos(0, 'x', true), plot.valToPos(0, 'y', true));
        context.lineTo(plot.valToPos(1, 'x', true), plot.valToPos(1, 'y', true));
        context.stroke();
        context.restore();
      }] },
    }, uPlot.join(tables), host);
  });
}
`;
