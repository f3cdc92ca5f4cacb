import type { BudgetPeriod } from '@touchstone/contract'

/** Milliseconds since 1970; the end is exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

interface Day {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
}

const DAY_MS = 86_400_000

/**
 * The period that contains a moment, by the calendar of a time zone.
 *
 * @param back  periods before it
 */
export function findPeriod(period: BudgetPeriod, timeZone: string, at: number, back = 0): Span {
  const today = toDay(timeZone, at)
  const first = toFirst(period, today, -back)
  const next = toFirst(period, today, 1 - back)
  return { from: toMidnight(timeZone, first), to: toMidnight(timeZone, next) }
}

/** The first day of a period, some periods away. */
function toFirst(period: BudgetPeriod, { year, month, day }: Day, by: number): Day {
  if (period === 'month') return toDate(Date.UTC(year, month - 1 + by, 1))
  const date = Date.UTC(year, month - 1, day)
  if (period === 'day') return toDate(date + by * DAY_MS)
  const sinceMonday = (new Date(date).getUTCDay() + 6) % 7
  return toDate(date + (7 * by - sinceMonday) * DAY_MS)
}

function toDate(utc: number): Day {
  const date = new Date(utc)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

const FORMATS = new Map<string, Intl.DateTimeFormat>()

function readClock(timeZone: string, at: number): number {
  let format = FORMATS.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    FORMATS.set(timeZone, format)
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

const toDay = (timeZone: string, at: number): Day => toDate(readClock(timeZone, at))

/** The first moment of a day; where a clock change skips midnight, the moment after it. */
function toMidnight(timeZone: string, { year, month, day }: Day): number {
  const wanted = Date.UTC(year, month - 1, day)
  let at = wanted
  // The offset of the guess may not be that of the day, so it is corrected once more.
  for (let round = 0; round < 2; round++) at += wanted - readClock(timeZone, at)
  return at
}
