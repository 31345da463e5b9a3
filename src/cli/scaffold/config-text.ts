// The configs of a new strategy: a backtest over the package's sample tape, and a run on the embedded exchange (a local
// exchange inside the bot's process).

/** Quotes a name that YAML would read as a number, or as true, false or nothing. */
const yamlName = (name: string): string => (/^(?:[\d.]|(?:true|false|null)$)/.test(name) ? `'${name}'` : name);

const strategies = (name: string): string => `\
strategies:
  - name: ${yamlName(name)}
    file: strategy.ts
    params: # \`presage strategy describe strategy.ts\` explains each
      qtyContracts: 5
      spreadMinCents: 3
      inventoryMaxContracts: 20
`;

const LIMITS = `\
# Limits have no defaults where money is at risk. Dollars, contracts, durations.
limits:
  orderQtyMax: 10 # contracts of one order
  orderCostMax: 10 # dollars one order may lose, with its fee
  positionQtyMax: 40 # contracts held in one market, either way, if all that is working fills
  marketCostMax: 40 # dollars held and reserved in one market
  groupCostMax: 80 # dollars an event group loses if its outcome and the fills are the worst for us
  accountCostMax: 300 # the same, summed over all event groups
  dailyLossMax: 100 # loss of a day (UTC) that halts the account, until \`presage resume\`
  drawdownMax: 200 # loss from the highest equity there was, likewise
  workingOrdersMax: 40
  ordersPerSecondMax: 50 # new orders within any second
  priceMin: 0.02 # no order below or above
  priceMax: 0.98
  priceDistanceMax: 0.20 # no price worse than the middle of the book by more than this
  bookAgeMax: 15s # no order when the feed has been silent for longer
  closeGuard: 2s # no order this close to a market's close
`;

/** `backtest.yaml` */
export const backtestText = (name: string, presage: string): string => `\
# ${name} over the recording that comes with Presage; README.md has the command.

tape: ${presage}/backtest/data/sample # a recording's or journal's folder, or a baked .arrow file; relative to this file
cash: 1000 # dollars the account opens with
seed: 1 # seed of everything random: the same seed leads to the same decisions, byte for byte

markets:
  series: [RAIN, WIND]

${strategies(name)}
${LIMITS}
report:
  html: report.html # one page that opens without a network
`;

/** `run.yaml` */
export const runText = (name: string, presage: string): string => `\
# ${name} on the exchange that comes with Presage, embedded in this process: no account, no network; README.md has the command.

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

dataFolder: var # state that outlives a session: halts, loss figures, the journal, saved state
`;
