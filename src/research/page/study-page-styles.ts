// tidy: table. Styles of a study's page, besides those of all reports. Shades are one hue from pale to strong, which needs no color
// vision; the best trial also has another shape.

const LIGHT = `--q0:#c3cbd8;--q1:#9fb2d0;--q2:#7a98c6;--q3:#507bb8;--q4:#265da3;--q5:#083a80;--best:#c24a00;--out:#8a929e;--dot:#171b21`;
const DARK = `--q0:#37424f;--q1:#3d5a7d;--q2:#4676ab;--q3:#5b95d6;--q4:#8abcf5;--q5:#d3e8ff;--best:#ff9e66;--out:#7b8693;--dot:#e7ebf0`;

const SHADES = [0, 1, 2, 3, 4, 5].map((shade) => `.q${shade}{--shade:var(--q${shade})}`).join('');

export const STUDY_STYLES = `
:root{${LIGHT}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK}}}
:root[data-theme=dark]{${DARK}}
${SHADES}.best{--shade:var(--best)}.out{--shade:var(--out)}
.verdict p{margin:6px 0 0}
.frame{display:block;width:100%;height:auto}
.frame text{fill:var(--soft);font-size:11.5px}
.frame text.title{fill:var(--ink);font-size:12px}
.frame text.end{text-anchor:end}.frame text.mid{text-anchor:middle}
.frame text.halo{paint-order:stroke;stroke:var(--card);stroke-width:3px;stroke-linejoin:round}
.frame .grid{stroke:var(--faint)}.frame .axis{stroke:var(--soft)}
.frame circle,.frame rect{fill:var(--shade)}
.frame circle{stroke:var(--card);stroke-width:.8}
.frame circle.best{r:6.5px;stroke:var(--ink);stroke-width:1.2}
.frame circle.out,.chip.out rect{fill:none;stroke:var(--out);stroke-width:1.3;stroke-dasharray:2 2}
.frame circle.dot{fill:var(--dot);stroke:none;opacity:.55}
.frame rect.out{fill:none;stroke:var(--out);stroke-dasharray:3 3}
.frame circle.front{stroke:var(--ink);stroke-width:1.4}
.frame .front-line{fill:none;stroke:var(--best);stroke-width:1.5}
.frame circle.half{fill:var(--accent);opacity:.35;stroke:none}
.frame .fit{stroke:var(--best);stroke-width:2}
.frame .equal{stroke:var(--soft);stroke-dasharray:5 4}
.frame .curve{fill:none;stroke:var(--accent);stroke-width:2}
.frame rect.bar-above{fill:var(--accent)}
.frame rect.bar-below{fill:var(--doubt-ground);stroke:var(--doubt);stroke-dasharray:3 2}
.lines path{fill:none;stroke:var(--shade);stroke-width:1.4;opacity:.8}
.lines path.best{stroke-width:3;opacity:1}
.lines path.out{stroke-dasharray:3 3;opacity:.5}
.lines path.off{opacity:.05}
.lines path.hot{stroke:var(--ink);stroke-width:3;opacity:1}
.frame circle.off{opacity:.1}
.parallel{min-width:720px;touch-action:pan-x;user-select:none}
.parallel .band{fill:var(--accent);opacity:.16}
.parallel .reach{fill:transparent;cursor:ns-resize}
.pair .frame{max-width:480px}
#trial-card>p,#ranges{margin:12px 0 0}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(320px,100%),1fr));gap:12px 20px}
.legend{display:flex;flex-wrap:wrap;gap:4px 6px;align-items:center;color:var(--soft);margin:0 0 6px}
.legend span{display:inline-flex;align-items:center;gap:6px;margin-right:8px}
.chip{width:18px;height:12px;display:inline-block}.chip rect{fill:var(--shade)}
summary{cursor:pointer;font-size:13px;color:var(--soft)}
.ranges{display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:10px 20px;margin-top:10px}
.ranges fieldset{border:1px solid var(--line);border-radius:8px;margin:0;padding:6px 12px;font-size:13px;min-width:0}
.ranges label{display:flex;gap:8px;align-items:center}
.ranges input{flex:1;min-width:0;accent-color:var(--accent)}
.importance td:nth-child(2){white-space:nowrap}
#trials a{color:var(--accent)}
#trials .badge{margin-left:4px;vertical-align:0;color:var(--best);border-color:var(--best)}
code{overflow-wrap:anywhere}
`.trim();
