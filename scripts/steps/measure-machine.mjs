import { createHash } from 'node:crypto'

/**
 * Measures a fixed piece of work on one core, in milliseconds, median of seven. Figures of two days or two machines are
 * comparable only relative to it.
 *
 * @returns {number}
 */
export function measureMachine() {
  const value = Array.from({ length: 40_000 }, (_, at) => ({
    at,
    text: `${at} `.repeat(20),
    deep: { at: [at, at / 3] },
  }))
  const times = Array.from({ length: 7 }, () => {
    const began = performance.now()
    const text = JSON.stringify(JSON.parse(JSON.stringify(value)))
    createHash('sha256').update(text).digest()
    return performance.now() - began
  })
  return times.sort((one, other) => one - other)[3]
}
