#!/bin/sh
# Runs a bot in a container, and ends only when its watchdog has ended, too. When the first process of a container ends, the
# kernel kills all others: without this wait a bot that dies would take its watchdog along, and its orders would rest.
#   entrypoint.sh presage run --config /etc/presage/bot.yaml
# DATA_FOLDER: the bot's dataFolder (default /data). WATCHDOG_WAIT: the most seconds to wait (default 60).
set -u
data_folder="${DATA_FOLDER:-/data}"
wait_most="${WATCHDOG_WAIT:-60}"

"$@" &
bot=$!
for signal in TERM INT HUP USR1 USR2; do
  # shellcheck disable=SC2064
  trap "kill -s $signal $bot 2>/dev/null" "$signal"
done

# A signal interrupts the wait, and the bot lives on until it has canceled its orders.
while :; do
  wait "$bot"
  code=$?
  kill -0 "$bot" 2>/dev/null || break
done

# The watchdog removes its file at its end. A file without a process is what a killed watchdog left.
watchdog_lives() {
  [ -e "$data_folder/watchdog.pid" ] && kill -0 "$(cat "$data_folder/watchdog.pid" 2>/dev/null)" 2>/dev/null
}
waited=0
while watchdog_lives && [ "$waited" -lt "$wait_most" ]; do
  [ "$waited" -eq 0 ] && echo "entrypoint: the bot ended with $code; waiting for its watchdog" >&2
  sleep 1
  waited=$((waited + 1))
done
if watchdog_lives; then
  echo "entrypoint: the watchdog still works after $wait_most s: orders MAY STILL REST" >&2
fi
exit "$code"
