/** Minutes that a complete run may take on a machine whose yardstick is `YARDSTICK_MS`. It only falls. */
const BUDGET_MINUTES = 60
const YARDSTICK_MS = 100

/**
 * The minutes that a complete run may take on this machine, so that growth is seen before it hurts.
 *
 * @param {number} yardstickMs what `measureMachine` measured
 */
export function toAllowedMinutes(yardstickMs) {
  return (BUDGET_MINUTES * yardstickMs) / YARDSTICK_MS
}
