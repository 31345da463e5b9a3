// tidy: table. The part of the script that every page shares, as text: light and dark, tabs, sorted tables. It runs in a browser.
export const CONTROL_SCRIPT = String.raw`
/** Compares two values. Missing values sort last in either direction. */
function compare(a, b, sign) {
  const hasA = a != null && a !== '', hasB = b != null && b !== '';
  if (!hasA || !hasB) return hasA === hasB ? 0 : hasA ? -1 : 1;
  return a < b ? -sign : a > b ? sign : 0;
}

function markSorted(head, at, isDown) {
  Array.from(head.children).forEach(function (each, place) {
    if (place === at) each.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
    else each.removeAttribute('aria-sort');
  });
}

const root = document.documentElement;
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
function isDark() { return root.dataset.theme ? root.dataset.theme === 'dark' : prefersDark.matches; }

function startTheme() {
  const button = document.getElementById('theme');
  const label = function () { button.textContent = isDark() ? 'Light' : 'Dark'; };
  button.hidden = false;
  label();
  button.addEventListener('click', function () {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    label();
    redrawAll();
  });
  prefersDark.addEventListener('change', function () { label(); redrawAll(); });
  // Paper is light.
  matchMedia('print').addEventListener('change', redrawAll);
}

function startTabs() {
  const tabs = Array.from(document.querySelectorAll('[role=tab]'));
  const choose = function (tab) {
    for (const each of tabs) {
      const isChosen = each === tab;
      each.setAttribute('aria-selected', String(isChosen));
      each.tabIndex = isChosen ? 0 : -1;
      document.getElementById(each.getAttribute('aria-controls')).hidden = !isChosen;
    }
  };
  tabs.forEach(function (tab, at) {
    tab.addEventListener('click', function () { choose(tab); });
    tab.addEventListener('keydown', function (event) {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (step === 0) return;
      const next = tabs[(at + step + tabs.length) % tabs.length];
      choose(next);
      next.focus();
    });
  });
  if (tabs.length > 0) choose(tabs[0]);
}

function startSorting() {
  for (const table of document.querySelectorAll('table.sortable')) {
    const head = table.tHead.rows[0];
    const body = table.tBodies[0];
    Array.from(head.cells).forEach(function (cell, at) {
      cell.querySelector('button').addEventListener('click', function () {
        const was = cell.getAttribute('aria-sort');
        const isDown = was === null ? at > 0 : was === 'ascending';
        const value = function (row) {
          const raw = row.cells[at].dataset.v;
          return raw === undefined ? row.cells[at].textContent : raw === '' ? null : Number(raw);
        };
        const rows = Array.from(body.rows).map(function (row) { return { row, value: value(row) }; });
        rows.sort(function (a, b) { return compare(a.value, b.value, isDown ? -1 : 1); });
        markSorted(head, at, isDown);
        body.append.apply(body, rows.map(function (each) { return each.row; }));
      });
    });
  }
}

function startFilter() {
  const field = document.getElementById('table-filter');
  if (!field) return;
  field.hidden = false;
  field.addEventListener('input', function () {
    const words = field.value.trim().toLowerCase();
    for (const row of document.querySelectorAll('table.sortable tbody tr'))
      row.hidden = !row.cells[0].textContent.toLowerCase().includes(words);
  });
}
`;
