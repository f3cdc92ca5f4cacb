import { printTimeRange } from './time-range.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const UNITS: Readonly<Record<string, 'm' | 'h' | 'd' | 'w'>> = { m: 'm', h: 'h', d: 'd', w: 'w' }
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** A range of local time in epoch ms; without `to` it ends now. */
interface Span {
  from: number
  to?: number
}

/**
 * Parses a time range in natural language, in local time: `last 3 days`, `90m`, `yesterday`, `yesterday 14:00-15:00`,
 * `today`, `monday`, `this week`, `last month`, `nov 20`, `2026-11-20 14:00 to 16:30`, `since yesterday`, `14:00-15:00`.
 *
 * @returns the range in the URL's format, or `undefined` if it cannot be parsed
 */
export function readNaturalTime(text: string, nowMs: number): string | undefined {
  const words = text.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  const relative = /^(?:(?:last|past|previous) )?(\d+) ?([a-z]+)(?: ago)?$/.exec(words)
  const [, count = '', name = ''] = relative ?? []
  const unit = UNITS[name.charAt(0)]
  if (unit !== undefined && isUnit(name)) return `${Number(count)}${unit}`
  if (/^(all|all time|ever|everything)$/.test(words)) return 'all'

  const since = /^(?:since|from|after) (.+)$/.exec(words)?.[1]
  if (since !== undefined) {
    const span = readSpan(since, nowMs)
    return span && print({ from: span.from })
  }
  const until = /^(?:until|before|till) (.+)$/.exec(words)?.[1]
  if (until !== undefined) {
    const span = readSpan(until, nowMs)
    return span && printTimeRange(undefined, new Date(span.from).toISOString())
  }
  const whole = readSpan(words, nowMs)
  if (whole !== undefined) return print(whole)
  return readBetween(words, nowMs)
}

/** Two times separated by `to`, `-`, `–` or `until`. */
function readBetween(words: string, nowMs: number): string | undefined {
  for (const { index, 0: mark } of words.matchAll(/ to | until | ?[-–] ?/g)) {
    const from = readSpan(words.slice(0, index), nowMs)
    const end = words.slice(index + mark.length)
    if (from === undefined) continue
    if (end === 'now') return print({ from: from.from })
    // A time without a day is on the day of the start.
    const clock = readClock(end)
    const to = clock === undefined ? readSpan(end, nowMs) : { from: getDayStart(from.from) + clock }
    if (to !== undefined && to.from > from.from)
      return print({ from: from.from, to: clock === undefined ? (to.to ?? to.from) : to.from })
  }
  return undefined
}

/** A day, a week, a month, or a time of a day. */
function readSpan(words: string, nowMs: number): Span | undefined {
  const period = readPeriod(words, nowMs)
  if (period) return period
  const [, day = '', clock = ''] = /^(?:(.+?)[ t])?(?:at )?(\d{1,2}(?::\d{2}){0,2} ?(?:am|pm)?)$/.exec(words) ?? []
  const time = readClock(clock)
  const base = day === '' ? getDayStart(nowMs) : readDay(day, nowMs)
  if (time !== undefined && base !== undefined) return { from: base + time }
  const from = readDay(words, nowMs)
  return from === undefined ? undefined : { from, to: nextDay(from) - 1 }
}

function readPeriod(words: string, nowMs: number): Span | undefined {
  const [, which, unit] = /^(this|last|previous) (hour|day|week|month|year)$/.exec(words) ?? []
  if (unit === undefined) return words === 'now' ? { from: nowMs } : undefined
  const now = new Date(nowMs)
  const starts: Record<string, (back: number) => number> = {
    hour: (back) => Math.floor(nowMs / HOUR) * HOUR - back * HOUR,
    day: (back) => addDays(getDayStart(nowMs), -back),
    week: (back) => addDays(getDayStart(nowMs), -((now.getDay() + 6) % 7) - 7 * back),
    month: (back) => new Date(now.getFullYear(), now.getMonth() - back, 1).getTime(),
    year: (back) => new Date(now.getFullYear() - back, 0, 1).getTime(),
  }
  const start = starts[unit]
  if (start === undefined) return undefined
  return which === 'this' ? { from: start(0) } : { from: start(1), to: start(0) - 1 }
}

/** Midnight of a named day: the latest one that is not in the future. */
function readDay(words: string, nowMs: number): number | undefined {
  const today = getDayStart(nowMs)
  if (words === 'today') return today
  if (words === 'yesterday') return addDays(today, -1)
  const weekday = words.length >= 3 ? WEEKDAYS.findIndex((day) => fullDay(day).startsWith(words)) : -1
  if (weekday >= 0) return addDays(today, -((new Date(today).getDay() - weekday + 7) % 7))
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(words)
  if (iso) return toDate(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]))
  const [, first, second, year] = /^([a-z]{3,9}|\d{1,2})\.? ([a-z]{3,9}|\d{1,2})(?:,? (\d{4}))?$/.exec(words) ?? []
  if (first === undefined || second === undefined) return undefined
  const [name, day] = /^\d/.test(first) ? [second, first] : [first, second]
  const month = MONTHS.indexOf(name.slice(0, 3))
  if (month < 0 || !/^\d+$/.test(day)) return undefined
  if (year !== undefined) return toDate(Number(year), month, Number(day))
  const thisYear = toDate(new Date(nowMs).getFullYear(), month, Number(day))
  return thisYear !== undefined && thisYear > nowMs
    ? toDate(new Date(nowMs).getFullYear() - 1, month, Number(day))
    : thisYear
}

/** Milliseconds since midnight of `14`, `14:30`, `14:30:10`, `2pm`. */
function readClock(words: string): number | undefined {
  const [, hour, minute = '0', second = '0', half] =
    /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))? ?(am|pm)?$/.exec(words.trim()) ?? []
  if (hour === undefined) return undefined
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
  if (hours > 24 || Number(minute) > 59 || Number(second) > 59) return undefined
  return hours * HOUR + Number(minute) * 60_000 + Number(second) * 1000
}

function isUnit(word: string): boolean {
  return /^(m|min|mins|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$/.test(word)
}

function fullDay(day: string): string {
  return { tue: 'tuesday', wed: 'wednesday', thu: 'thursday', sat: 'saturday' }[day] ?? `${day}day`
}

function toDate(year: number, month: number, day: number): number | undefined {
  const date = new Date(year, month, day)
  return date.getMonth() === month && date.getDate() === day ? date.getTime() : undefined
}

function getDayStart(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0)
}

function addDays(ms: number, days: number): number {
  const date = new Date(ms)
  return date.setDate(date.getDate() + days)
}

/** The next midnight. Not all days have 24 hours. */
function nextDay(ms: number): number {
  return getDayStart(ms + DAY + 2 * HOUR)
}

function print({ from, to }: Span): string {
  return printTimeRange(new Date(from).toISOString(), to === undefined ? undefined : new Date(to).toISOString())
}
