// tidy: table. The page's own script, as text: the single trades, as a plot and a table with the same filters. Must
// never turn text into markup: names are set as text content.
export const TRADE_SCRIPT = String.raw`
const PAGE = 25;
/** Indexes of a trade's members in its row. */
const AT = 0, MARKET = 1, STRATEGY = 2, SIDE = 3, PRICE = 4, QTY = 5, FEE = 6, LIQUIDITY = 7, MID = 8, AFTER_1S = 9, AFTER_1M = 10, ORDER = 11;

function ahead(row, later) { return row[later] == null ? null : row[SIDE] * (row[later] - row[PRICE]) / 100; }
function price(value) { return value == null ? '–' : String(Number((value / 100).toFixed(3))) + '¢'; }
function quantity(value) { return (value / 100).toLocaleString('en-US', { maximumFractionDigits: 2 }); }

const TRADE_COLUMNS = [
  { name: 'Time, UTC', words: true, value: function (row) { return row[AT]; }, show: function (row) { return clock(row[AT]); } },
  { name: 'Market', words: true, value: function (row) { return data.names.markets[row[MARKET]]; }, show: function (row) { return data.names.markets[row[MARKET]]; } },
  { name: 'Strategy', words: true, value: function (row) { return data.names.strategies[row[STRATEGY]]; }, show: function (row) { return data.names.strategies[row[STRATEGY]] || '–'; } },
  { name: 'Side', words: true, value: function (row) { return row[SIDE]; }, show: function (row) { return row[SIDE] > 0 ? 'buy' : 'sell'; } },
  { name: '', words: true, value: function (row) { return row[LIQUIDITY]; }, show: function (row) { return row[LIQUIDITY] === 0 ? 'maker' : 'taker'; } },
  { name: 'Price', value: function (row) { return row[PRICE]; }, show: function (row) { return price(row[PRICE]); } },
  { name: 'Contracts', value: function (row) { return row[QTY]; }, show: function (row) { return quantity(row[QTY]); } },
  { name: 'Fee', value: function (row) { return row[FEE]; }, show: function (row) { return dollars(row[FEE] / 1e6); } },
  { name: 'At once', tint: true, value: function (row) { return ahead(row, MID); }, show: function (row) { return cents(ahead(row, MID)); } },
  { name: '1 s', tint: true, value: function (row) { return ahead(row, AFTER_1S); }, show: function (row) { return cents(ahead(row, AFTER_1S)); } },
  { name: '1 min', tint: true, value: function (row) { return ahead(row, AFTER_1M); }, show: function (row) { return cents(ahead(row, AFTER_1M)); } },
];

const trades = { shown: [], page: 0, sortBy: 0, isDown: true, plot: null };

function chosen(id) { const element = document.getElementById(id); return element ? element.value : ''; }

function filterTrades() {
  const words = chosen('trade-market').trim().toLowerCase();
  const strategy = chosen('trade-strategy'), side = chosen('trade-side'), liquidity = chosen('trade-liquidity');
  const markets = data.names.markets.map(function (name) { return name.toLowerCase().includes(words); });
  trades.shown = data.fills.filter(function (row) {
    return markets[row[MARKET]] &&
      (strategy === '' || data.names.strategies[row[STRATEGY]] === strategy.slice(1)) &&
      (side === '' || String(row[SIDE]) === side) && (liquidity === '' || String(row[LIQUIDITY]) === liquidity);
  });
  trades.page = 0;
  sortTrades();
  for (const entry of plots) if (entry.host.id === 'plot-trades') entry.draw();
}

function sortTrades() {
  const value = TRADE_COLUMNS[trades.sortBy].value;
  const sign = trades.isDown ? -1 : 1;
  trades.ordered = trades.shown.slice().sort(function (a, b) { return compare(value(a), value(b), sign); });
  showTrades();
}

function cell(text, className) {
  const made = document.createElement('td');
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function showTrades() {
  const body = document.querySelector('#trade-table tbody');
  const rows = trades.ordered.slice(trades.page * PAGE, (trades.page + 1) * PAGE);
  body.replaceChildren.apply(body, rows.map(function (row) {
    const line = document.createElement('tr');
    line.title = row[ORDER] ? 'order ' + row[ORDER] : '';
    for (const column of TRADE_COLUMNS) {
      const value = column.tint ? column.value(row) : null;
      line.append(cell(column.show(row), column.words ? 'words' : value > 0 ? 'gain' : value < 0 ? 'loss' : ''));
    }
    return line;
  }));
  const count = trades.ordered.length;
  const last = Math.max(0, Math.ceil(count / PAGE) - 1);
  document.getElementById('trade-count').textContent = count === 0 ? 'No trade matches.' :
    (trades.page * PAGE + 1) + '–' + Math.min(count, (trades.page + 1) * PAGE) + ' of ' + count.toLocaleString('en-US');
  document.getElementById('trade-back').disabled = trades.page === 0;
  document.getElementById('trade-on').disabled = trades.page >= last;
}

function tradeHead() {
  const head = document.querySelector('#trade-table thead tr');
  TRADE_COLUMNS.forEach(function (column, at) {
    const made = document.createElement('th');
    made.scope = 'col';
    if (column.words) made.className = 'words';
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = column.name || 'Kind';
    button.addEventListener('click', function () {
      trades.isDown = trades.sortBy === at ? !trades.isDown : !column.words;
      trades.sortBy = at;
      trades.page = 0;
      markSorted(head, at, trades.isDown);
      sortTrades();
    });
    made.append(button);
    head.append(made);
  });
  markSorted(head, 0, true);
}

/** Returns the latest horizon at which any trade has a mid. */
function plottedHorizon() {
  return [AFTER_1M, AFTER_1S].find(function (later) { return data.fills.some(function (row) { return row[later] != null; }); }) || MID;
}

function drawTrades() {
  const later = plottedHorizon();
  const after = { [AFTER_1M]: 'after a minute', [AFTER_1S]: 'after a second', [MID]: 'at once' };
  document.getElementById('trade-plot-name').textContent = 'Ahead ' + after[later] + ', per contract';
  mount('plot-trades', function (host, width) {
    const rows = trades.shown.slice().sort(function (a, b) { return a[AT] - b[AT]; });
    const of = function (liquidity) { return rows.map(function (row) { return row[LIQUIDITY] === liquidity ? ahead(row, later) : null; }); };
    const dots = function (label, color) {
      return { label, stroke: ink(color), paths: function () { return null; }, value: function (plot, value) { return cents(value); },
        points: { show: true, size: 5, width: 1, fill: faded(long(ink(color)), 0.35) } };
    };
    return new uPlot({
      width, height: 210, tzDate: utc, padding: [10, 16, 0, 0], legend: legendBeside(host),
      cursor: { drag: { x: true, y: false }, points: { size: 9 } },
      scales: { x: { time: true } },
      axes: [timeAxis(false), sideAxis(function (value, step) { return minus(short(value, step)) + '¢'; })],
      series: [clockSeries, dots('maker', 'maker'), dots('taker', 'taker'),
        { label: 'market', show: true, paths: function () { return null; }, points: { show: false }, scale: 'none',
          value: function (plot, value, series, at) { return at == null ? '–' : data.names.markets[rows[at][MARKET]]; } }],
      hooks: { drawClear: [zeroLine] },
    }, [rows.map(function (row) { return row[AT]; }), of(0), of(1), rows.map(function () { return 0; })], host);
  });
}

function startTrades() {
  if (!document.getElementById('trade-table')) return;
  const select = document.getElementById('trade-strategy');
  for (const name of data.names.strategies) {
    const option = document.createElement('option');
    option.value = '=' + name;
    option.textContent = name || '(no strategy)';
    select.append(option);
  }
  tradeHead();
  for (const id of ['trade-market', 'trade-strategy', 'trade-side', 'trade-liquidity'])
    document.getElementById(id).addEventListener('input', filterTrades);
  document.getElementById('trade-back').addEventListener('click', function () { trades.page -= 1; showTrades(); });
  document.getElementById('trade-on').addEventListener('click', function () { trades.page += 1; showTrades(); });
  filterTrades();
  drawTrades();
}
`;
