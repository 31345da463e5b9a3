// tidy: table. The page's own script, as text. Without the script, the page still shows all but the plots and the single
// trades.
import { CONTROL_SCRIPT } from './control-script.ts';
import { PLOT_SCRIPT } from './plot-script.ts';
import { TRADE_SCRIPT } from './trade-script.ts';

const START_SCRIPT = String.raw`
startTheme();
startTabs();
startSorting();
startFilter();
if (data.equity.at.length > 1) drawTime();
drawMarkouts();
drawCalibration();
startTrades();
`;

/** The whole script. It reads its data from the page. */
export const PAGE_SCRIPT = `(function () {
'use strict';
const data = JSON.parse(document.getElementById('report-data').textContent);
${PLOT_SCRIPT}${TRADE_SCRIPT}${CONTROL_SCRIPT}${START_SCRIPT}
})();
`;
