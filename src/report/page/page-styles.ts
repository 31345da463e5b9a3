// tidy: table. The page's styles are one text for light and dark, wide and narrow, screen and paper. No element has a
// style attribute: the page's policy does not allow any.

const LIGHT = `--ground:#f6f7f9;--card:#fff;--ink:#171b21;--soft:#5a6472;--line:#e1e5ea;--faint:#eef1f4;--accent:#2563c9;
--gain:#0f7a55;--loss:#c0392f;--doubt:#8a5a00;--gain-ground:#e7f5ef;--loss-ground:#fdecea;--doubt-ground:#fdf3df;
--maker:#2563c9;--taker:#b4530a;--all:#5a6472;--locked:#7a4fc0;--shadow:0 1px 2px rgba(20,30,45,.06),0 2px 8px rgba(20,30,45,.04);color-scheme:light`;
const DARK = `--ground:#0e1216;--card:#161b21;--ink:#e7ebf0;--soft:#98a3b1;--line:#2a323b;--faint:#1d242b;--accent:#74a9ff;
--gain:#4fc08d;--loss:#ff8479;--doubt:#e9b455;--gain-ground:#12291f;--loss-ground:#331a18;--doubt-ground:#2c2312;
--maker:#74a9ff;--taker:#f0a35c;--all:#98a3b1;--locked:#b296f0;--shadow:none;color-scheme:dark`;

export const PAGE_STYLES = `
:root{${LIGHT}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK}}}
:root[data-theme=dark]{${DARK}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
main,header.top,footer{max-width:1200px;margin:0 auto;padding:0 24px}
header.top{padding-top:28px;display:flex;gap:16px;align-items:flex-start;justify-content:space-between}
h1{font-size:26px;line-height:1.2;margin:0 0 6px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:17px;margin:0;letter-spacing:-.005em}
h3{font-size:14px;margin:20px 0 8px}
p{margin:0 0 10px}
.soft{color:var(--soft)}
.small{font-size:13px}
.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12.5px;overflow-wrap:anywhere}
.badge{display:inline-block;padding:1px 9px;border-radius:99px;border:1px solid var(--line);background:var(--card);font-size:12px;color:var(--soft);vertical-align:3px;margin-left:6px;font-weight:500;letter-spacing:0}
.gain{color:var(--gain)}.loss{color:var(--loss)}.doubt{color:var(--doubt)}
button,select,input{font:inherit;color:inherit}
select,input[type=search]{max-width:100%}
button.plain,select,input[type=search]{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:5px 11px;font-size:13px}
button.plain{cursor:pointer}
button.plain:hover{border-color:var(--soft)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
nav.jumps{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:13px;margin:14px 0 0}
nav.jumps a{color:var(--soft);text-decoration:none}
nav.jumps a:hover{color:var(--accent);text-decoration:underline}
.verdict{margin:18px 0 16px;padding:15px 20px;border-radius:12px;border:1px solid var(--line);background:var(--card);border-left:5px solid var(--soft)}
.verdict strong{display:block;font-size:21px;line-height:1.3;margin-bottom:2px}
.verdict.gain,.verdict.loss,.verdict.doubt{color:var(--ink)}
.verdict.gain{border-left-color:var(--gain);background:var(--gain-ground)}
.verdict.loss{border-left-color:var(--loss);background:var(--loss-ground)}
.verdict.doubt{border-left-color:var(--doubt);background:var(--doubt-ground)}
.tiles{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:12px;margin-bottom:16px}
@media (max-width:960px){.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}}
.tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 16px;box-shadow:var(--shadow);min-width:0}
.tile dt{font-size:12.5px;color:var(--soft)}
.tile dd{margin:1px 0 0;font-size:23px;font-weight:600;letter-spacing:-.01em;line-height:1.3;overflow-wrap:anywhere}
.tile dd small{display:block;font-size:12.5px;font-weight:400;letter-spacing:0;color:var(--soft);line-height:1.45}
section.card{background:var(--card);border:1px solid var(--line);border-radius:12px;box-shadow:var(--shadow);padding:18px 20px;margin-bottom:16px;min-width:0;scroll-margin-top:12px}
section.card>header{display:flex;gap:6px 16px;align-items:baseline;justify-content:space-between;flex-wrap:wrap;margin-bottom:10px}
section.card>header p{margin:0;color:var(--soft);font-size:13px}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(440px,100%),1fr));gap:0 16px}
.pair>section.card{margin-bottom:16px}
.split{width:100%;border-collapse:collapse}
.split td{padding:6px 0;border-bottom:1px solid var(--faint);vertical-align:middle}
.split tr:last-child td{border-bottom:0;border-top:2px solid var(--line);font-weight:650;padding-top:9px}
.split td.part{width:33%;padding-right:14px}
.split td.part small{display:block;color:var(--soft);font-weight:400;font-size:12.5px;line-height:1.35}
.split td.amount{width:170px;text-align:right;white-space:nowrap;padding-left:14px}
.split svg{display:block;width:100%;height:22px}
.bar-gain{fill:var(--gain)}.bar-loss{fill:var(--loss)}.bar-zero{stroke:var(--line);stroke-width:1}
.plot{width:100%;min-width:0}
.plot-title{font-size:12.5px;color:var(--soft);margin:12px 16px 2px 0;display:flex;flex-wrap:wrap;gap:0 18px;justify-content:space-between}
.plot-title:first-child{margin-top:0}
.strip{display:block;height:14px;margin:4px 16px 0 var(--gutter,72px);border-radius:4px;overflow:hidden;background:var(--faint)}
.strip svg{display:block;width:100%;height:14px}
.covered{fill:var(--accent);opacity:.35}.gap{fill:var(--loss)}
.uplot{font:inherit;font-size:12.5px}
.uplot,.u-legend{color:var(--ink)}
.u-legend{text-align:left;margin:2px 0 0 66px;font-size:12.5px}
.plot-title .u-legend{margin:0;text-align:right}
.u-legend.u-inline .u-series{padding:0 0 0 12px}
.u-legend.u-inline .u-series>*{padding:0 3px}
.u-legend th{font-weight:400;color:var(--soft)}
.u-legend .u-value{font-weight:600}
.u-legend .u-marker{border-radius:2px}
.u-select{background:var(--accent);opacity:.13}
.u-cursor-x,.u-cursor-y{border-color:var(--soft)!important}
.scroll{overflow-x:auto;margin:0 -20px;padding:0 20px}
.scroll.tall{max-height:620px;overflow:auto}
.scroll.tall thead th{position:sticky;top:0;background:var(--card);z-index:2}
.scroll.tall thead th:first-child{z-index:3}
table.figures{border-collapse:collapse;width:100%;font-size:13.5px}
table.figures th,table.figures td{padding:6px 9px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--faint)}
table.figures th{font-weight:500;color:var(--soft);font-size:12.5px;border-bottom:1px solid var(--line);vertical-align:bottom}
table.figures th:first-child,table.figures td:first-child{text-align:left;padding-left:0;position:sticky;left:0;background:var(--card);z-index:1}
table.figures td:first-child{max-width:300px;overflow:hidden;text-overflow:ellipsis}
table.figures td:last-child,table.figures th:last-child{padding-right:0}
table.figures td small{display:block;color:var(--soft);overflow:hidden;text-overflow:ellipsis;max-width:215px}
table.figures tbody tr:hover td{background:var(--faint)}
table.figures td.words,table.figures th.words{text-align:left}
.wordy table.figures th:last-child,.wordy table.figures td:last-child{text-align:left;white-space:normal}
th button{all:unset;cursor:pointer;white-space:nowrap}
th button:hover{color:var(--ink)}
th button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
th button::after{content:"";display:inline-block;width:.9em;text-align:right}
th[aria-sort=descending] button::after{content:"↓"}
th[aria-sort=ascending] button::after{content:"↑"}
th[aria-sort] button{color:var(--ink)}
.tabs{display:flex;gap:4px;flex-wrap:wrap}
.tabs button{border:1px solid transparent;background:none;padding:4px 11px;border-radius:8px;cursor:pointer;font-size:13.5px;color:var(--soft)}
.tabs button[aria-selected=true]{background:var(--faint);color:var(--ink);border-color:var(--line);font-weight:550}
.filters{display:flex;gap:8px;flex-wrap:wrap;align-items:center;margin-bottom:10px}
.filters input[type=search]{min-width:190px}
.pages{display:flex;gap:10px;align-items:center;margin-top:10px;font-size:13px;color:var(--soft)}
.pages button:disabled{opacity:.4;cursor:default}
ul.notes{margin:0;padding-left:20px}
ul.notes li{margin-bottom:6px}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:0;font-size:13.5px}
dl.facts dt{color:var(--soft)}
dl.facts dd{margin:0;overflow-wrap:anywhere;min-width:0}
pre{margin:0;background:var(--faint);border-radius:8px;padding:10px 12px;overflow:auto;font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;max-height:320px}
.meter{display:inline-block;vertical-align:-1px;width:90px;height:10px;margin-right:8px}
.meter-ground{fill:var(--faint)}.meter-fill{fill:var(--accent)}
.empty{color:var(--soft);padding:14px 0}
footer{padding-top:6px;padding-bottom:36px;color:var(--soft);font-size:12.5px}
[hidden]{display:none!important}
@media (max-width:720px){
body{font-size:14.5px}
main,header.top,footer{padding-left:14px;padding-right:14px}
h1{font-size:22px}
.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:8px}
.tile{padding:10px 12px}.tile dd{font-size:19px}
section.card{padding:14px 14px}
.scroll{margin:0 -14px;padding:0 14px}
.split td.bar{display:none}.split td.part{width:auto}.split td.amount{width:auto}
table.figures td:first-child{max-width:170px}
.u-legend{margin-left:0}.scroll.tall{max-height:480px}
dl.facts{grid-template-columns:1fr;gap:0}dl.facts dd{margin-bottom:8px}
}
@media print{
:root,:root[data-theme],:root:not([data-theme=light]){${LIGHT}}
body{background:#fff}section.card,.tile{box-shadow:none;break-inside:avoid}
select,input,.pages button,.tabs button[aria-selected=false],nav.jumps,#theme{display:none}
.scroll,.scroll.tall{max-height:none;overflow:visible}
table.figures th,table.figures td{font-size:8.5px;padding:2px 3px}table.figures td:first-child,table.figures td small{white-space:normal}
th button::after{display:none}table.figures td:first-child{max-width:140px}
}
`.trim();
