/** The stretch of the trace the time lane shows, in microseconds since the start of the trace. */
export interface TimeWindow {
  from: number
  to: number
}

/** Nothing shorter than this can be told apart: our clock counts microseconds. */
const SHORTEST_WINDOW = 10

/** The whole trace, with a little air on the right so that the last bar's end is seen. */
export function fitWindow(duration: number): TimeWindow {
  return { from: 0, to: Math.max(duration * 1.01, SHORTEST_WINDOW) }
}

/** Keeps a window inside the trace without changing its length, unless it is longer than the trace. */
export function clampWindow(timeWindow: TimeWindow, duration: number): TimeWindow {
  const whole = fitWindow(duration)
  const length = Math.min(Math.max(timeWindow.to - timeWindow.from, SHORTEST_WINDOW), whole.to)
  const from = Math.min(Math.max(timeWindow.from, 0), whole.to - length)
  return { from, to: from + length }
}

/**
 * Zooms about a point that stays where it is on the screen.
 *
 * @param factor  above 1 shows less time
 * @param at      microseconds; the middle of the window when left out
 */
export function zoomWindow(timeWindow: TimeWindow, factor: number, duration: number, at?: number): TimeWindow {
  const pivot = at ?? (timeWindow.from + timeWindow.to) / 2
  const whole = fitWindow(duration).to
  const length = Math.min(Math.max((timeWindow.to - timeWindow.from) / factor, SHORTEST_WINDOW), whole)
  const share = (pivot - timeWindow.from) / (timeWindow.to - timeWindow.from)
  return clampWindow({ from: pivot - share * length, to: pivot + (1 - share) * length }, duration)
}

/** Moves the window by a share of its own length; positive is later. */
export function panWindow(timeWindow: TimeWindow, share: number, duration: number): TimeWindow {
  const by = share * (timeWindow.to - timeWindow.from)
  return clampWindow({ from: timeWindow.from + by, to: timeWindow.to + by }, duration)
}

/** A window around a run, with a tenth of its length on both sides. */
export function windowAround(start: number, end: number, duration: number): TimeWindow {
  const margin = Math.max((end - start) / 10, SHORTEST_WINDOW / 2)
  return clampWindow({ from: start - margin, to: end + margin }, duration)
}

/** Place of a moment in the timeWindow: 0 is its left edge, 1 its right one. */
export function toFraction(timeWindow: TimeWindow, micros: number): number {
  return (micros - timeWindow.from) / (timeWindow.to - timeWindow.from)
}

/** Round moments to label, about `count` of them. */
export function listTicks(timeWindow: TimeWindow, count: number): number[] {
  const step = roundStep((timeWindow.to - timeWindow.from) / Math.max(count, 1))
  const first = Math.ceil(timeWindow.from / step)
  const last = Math.floor(timeWindow.to / step)
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => (first + i) * step)
}

/** `12.5-480` in milliseconds, for the address bar; undefined for the whole trace. */
export function printWindow(timeWindow: TimeWindow, duration: number): string | undefined {
  const whole = fitWindow(duration)
  if (timeWindow.from <= 0 && timeWindow.to >= whole.to - 1) return undefined
  return `${+(timeWindow.from / 1000).toFixed(3)}-${+(timeWindow.to / 1000).toFixed(3)}`
}

export function parseWindow(text: string | undefined, duration: number): TimeWindow {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? '')
  if (!match || Number(match[2]) <= Number(match[1])) return fitWindow(duration)
  return clampWindow({ from: Number(match[1]) * 1000, to: Number(match[2]) * 1000 }, duration)
}

const SECOND = 1e6
const STEPS_ABOVE_A_SECOND = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400]

function roundStep(atLeast: number): number {
  if (atLeast > 0.5 * SECOND && atLeast <= 86400 * SECOND) {
    return STEPS_ABOVE_A_SECOND.find((seconds) => seconds * SECOND >= atLeast)! * SECOND
  }
  const power = 10 ** Math.floor(Math.log10(Math.max(atLeast, 1)))
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= atLeast)!
}
