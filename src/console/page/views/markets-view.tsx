// The table of all markets of a bot. The console sorts and filters. Only the rows in view are drawn, because there may
// be ten thousand.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MARKET_SORTS } from '../../api/api-schemas.ts';
import { AwaitedFromBot, Empty } from '../parts/blocks.tsx';
import { MarketLine, MarketsHead, marketColumns } from '../market/market-line.tsx';
import { formatCount } from '../format/figures.ts';
import { marketsPage } from '../state/live-data.ts';
import { MarketRows } from '../state/market-rows.ts';
import { address, marketsWindow, replaceQuery } from '../state/page-state.ts';

type Sort = (typeof MARKET_SORTS)[number];

/** Height of a row, on a wide page and on a phone. The styles have the same numbers. Pixels. */
const ROW_PX = 34;
const PHONE_ROW_PX = 56;
/** Rows that are drawn above and below the view. */
const MARGIN_ROWS = 12;
/** Rows above and below the view that the stream keeps live. */
const LIVE_MARGIN = 30;
/** Time without scrolling after which the stream follows the view. Milliseconds. */
const SETTLE_MS = 250;
const TYPING_MS = 250;

const isPhone = (): boolean => window.matchMedia('(max-width: 760px)').matches;

export function MarketsView({ bot }: { readonly bot: string }): JSX.Element {
  const { sort = 'ours', q = '', ours = '' } = address.value.query;
  const rows = useMemo(() => new MarketRows(bot, { sort, q, ours: ours !== '' }), [bot, sort, q, ours]);
  useEffect(() => {
    // Rows of the earlier query must not be shown.
    marketsPage.value = null;
    marketsWindow.value = { from: 0, to: 100, sort, q, ours: ours !== '' };
    return () => rows.close();
  }, [rows]);
  useEffect(
    () =>
      marketsPage.subscribe((page) => {
        if (page) rows.applyLivePage(page);
      }),
    [rows],
  );
  const setSort = (next: Sort): void => replaceQuery({ ...address.value.query, sort: next });
  const total = rows.total.value;
  return (
    <div class="markets-view">
      <header class="view-head">
        <h1>Markets</h1>
        <span class="muted num">{total === null ? '' : formatCount(total)}</span>
        <span class="spacer" />
        <Filters />
      </header>
      {total === 0 ? <NoMarkets /> : <MarketsGrid bot={bot} rows={rows} sort={sort} onSort={setSort} />}
    </div>
  );
}

function Filters(): JSX.Element {
  const { query } = address.value;
  const timer = useRef(0);
  const change = (q: string): void => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => replaceQuery({ ...address.value.query, q }), TYPING_MS);
  };
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        placeholder="Ticker or title"
        aria-label="Filter by ticker or title"
        data-filter
        defaultValue={query['q'] ?? ''}
        onInput={({ currentTarget }) => change(currentTarget.value.trim())}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={(query['ours'] ?? '') !== ''}
          onChange={({ currentTarget }) =>
            replaceQuery({ ...address.value.query, ours: currentTarget.checked ? '1' : '' })
          }
        />
        Ours only
      </label>
    </form>
  );
}

const NoMarkets = (): JSX.Element => (
  <Empty>No market fits. Clear the filter, or look at the selectors of the strategies.</Empty>
);

interface GridProps {
  readonly bot: string;
  readonly rows: MarketRows;
  readonly sort: string;
  readonly onSort: (sort: Sort) => void;
}

function MarketsGrid({ bot, rows, sort, onSort }: GridProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const { range, rowPx } = useVisibleRange(scroller);
  const [active, setActive] = useState(0);
  const total = rows.total.value;
  const version = rows.version.value;
  const from = Math.max(0, Math.min(range.from, (total ?? 0) - 1) - MARGIN_ROWS);
  const to = Math.min(total ?? 0, range.to + MARGIN_ROWS);
  useEffect(() => rows.requireRange(from, to), [rows, from, to, version]);
  useLiveWindow(range);
  useEffect(() => scroller.current?.scrollTo(0, 0), [rows]);
  const places = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
  const columns = useMemo(() => marketColumns(places.map((place) => rows.rowAt(place))), [version, from, to]);
  return (
    <div class="grid" role="grid" aria-label="Markets" aria-rowcount={(total ?? 0) + 1} aria-busy={total === null}>
      <div class="grid-scroll" ref={scroller} role="presentation">
        <MarketsHead sort={sort} onSort={onSort} />
        {total === null && <AwaitedFromBot rows={12} label="Loading the markets" />}
        <div class="grid-space" role="rowgroup" style={{ height: `${(total ?? 0) * rowPx}px` }}>
          {places.map((place) => (
            <MarketLine
              key={place % Math.max(1, places.length)}
              bot={bot}
              place={place}
              row={rows.rowAt(place)}
              topPx={place * rowPx}
              isActive={place === Math.min(Math.max(active, from), to - 1)}
              columns={columns}
              onActive={setActive}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The rows in view change at most once per frame of the screen. */
function useVisibleRange(scroller: { readonly current: HTMLDivElement | null }): { range: Range; rowPx: number } {
  const [rowPx, setRowPx] = useState(() => (isPhone() ? PHONE_ROW_PX : ROW_PX));
  const [range, setRange] = useState<Range>({ from: 0, to: 30 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    let frame = 0;
    const measure = (): void => {
      frame = 0;
      const height = isPhone() ? PHONE_ROW_PX : ROW_PX;
      const from = Math.floor(element.scrollTop / height);
      const to = Math.ceil((element.scrollTop + element.clientHeight) / height);
      setRowPx(height);
      setRange((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    const onChange = (): void => {
      if (frame === 0) frame = requestAnimationFrame(measure);
    };
    measure();
    element.addEventListener('scroll', onChange, { passive: true });
    window.addEventListener('resize', onChange);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('scroll', onChange);
      window.removeEventListener('resize', onChange);
    };
  }, []);
  return { range, rowPx };
}

/** The stream follows the rows in view once the scrolling has ended. */
function useLiveWindow({ from, to }: Range): void {
  useEffect(() => {
    const window_ = marketsWindow.peek();
    if (from >= window_.from && to <= window_.to) return undefined;
    const timer = window.setTimeout(() => {
      marketsWindow.value = { ...marketsWindow.peek(), from: Math.max(0, from - LIVE_MARGIN), to: to + LIVE_MARGIN };
    }, SETTLE_MS);
    return () => window.clearTimeout(timer);
  }, [from, to]);
}
