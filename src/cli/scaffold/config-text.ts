// The configs that a new strategy comes with: a backtest over the tape that comes with the package, and a run on the
// exchange inside. Both name the same strategy with the same params and limits: what is tested is what runs.

const strategies = (name: string): string => `\
strategies:
  - name: ${name}
    file: strategy.ts
    params: # \`presage strategy describe strategy.ts\` tells what each means
      qtyContracts: 5
      spreadMinCents: 3
      inventoryMaxContracts: 20
`;

const LIMITS = `\
# What bounds losses must be chosen: there is no default for what risks money. Dollars, contracts, durations.
limits:
  orderQtyMax: 10 # contracts of one order
  orderCostMax: 10 # dollars one order may lose, with its fee
  positionQtyMax: 40 # contracts held in one market, either way, if all that is working fills
  marketCostMax: 40 # dollars held and pledged in one market
  groupCostMax: 80 # dollars an event group loses if its outcome and the fills are the worst for us
  accountCostMax: 300 # the same, summed over all event groups
  dailyLossMax: 100 # loss of a day (UTC) that halts the account, until \`presage resume\`
  drawdownMax: 200 # loss from the highest equity there was, likewise
  workingOrdersMax: 40
  ordersPerSecondMax: 50 # new orders within any second
  priceMin: 0.02 # no order below or above
  priceMax: 0.98
  priceDistanceMax: 0.20 # no price worse than the middle of the book by more than this
  bookAgeMax: 15s # no order when the feed has been silent for so long
  closeGuard: 2s # no order so shortly before a market closes
`;

/** `backtest.yaml` */
export const backtestText = (name: string, presage: string): string => `\
# ${name} over the recording that comes with Presage; README.md has the command.

tape: ${presage}/backtest/data/sample # a recording's or journal's folder, or a baked .arrow file; relative to this file
cash: 1000 # dollars the account opens with
seed: 1 # every chance in the run comes from it: the same seed decides the same, to the byte

markets:
  series: [RAIN, WIND]

${strategies(name)}
${LIMITS}
report:
  html: report.html # one page that opens without a network
`;

/** `run.yaml` */
export const runText = (name: string, presage: string): string => `\
# ${name} on the exchange that comes with Presage, inside one process: no account, no network; README.md has the command.

venue:
  embedded: ${presage}/config/exchange.yaml
  account: demo # whose money it is

markets:
  series: [RAIN]

${strategies(name)}
${LIMITS}
log:
  level: info
  file: var/run.log

dataFolder: var # what must outlive a session: halts, loss figures, the journal, what strategies keep
`;
