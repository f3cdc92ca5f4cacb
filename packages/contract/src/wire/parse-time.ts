const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2}(?::?\d{2})?)?$/i

/**
 * Parses a time and formats it as we store and send it: UTC, six fractional digits, `Z`.
 *
 * Accepts ISO 8601 with `Z`, with an offset, or without (taken as UTC), 0 to 9 fractional digits (cut to six), and
 * epoch milliseconds as a number. Six digits are exact: they are never converted to a float.
 *
 * @returns e.g. `2025-07-10T04:42:19.024000Z`, or `undefined` when it is not a time or its year is outside 0001–9999
 */
export function parseTime(value: unknown): string | undefined {
  if (typeof value === 'number') return fromEpochMs(value)
  if (typeof value !== 'string') return undefined
  const match = ISO.exec(value.trim())
  if (match === null) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = match
  const seconds = utcSeconds(+year!, +month!, +day!, +hour, +minute, Math.min(+second, 59))
  if (seconds === undefined) return undefined
  return print(seconds - offsetSeconds(offset), fraction.padEnd(6, '0').slice(0, 6))
}

/** Microseconds since 1970 of a formatted time. */
export function microsOf(time: string): bigint {
  return BigInt(Date.parse(`${time.slice(0, 19)}Z`)) * 1000n + BigInt(time.slice(20, 26))
}

/** Formats microseconds since 1970. */
export function timeOfMicros(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  return print(Number((micros - fraction) / 1_000_000n), fraction.toString().padStart(6, '0'))!
}

/** Formats milliseconds since 1970. */
export function timeOfEpochMs(ms: number): string {
  return fromEpochMs(ms)!
}

function fromEpochMs(ms: number): string | undefined {
  if (!Number.isFinite(ms)) return undefined
  const micros = Math.round((ms - Math.floor(ms)) * 1000)
  const seconds = Math.floor(ms / 1000)
  const millis = Math.floor(ms) - seconds * 1000
  return print(seconds, String(millis * 1000 + Math.min(micros, 999)).padStart(6, '0'))
}

function utcSeconds(year: number, month: number, day: number, hour: number, minute: number, second: number) {
  if (month < 1 || month > 12 || day < 1 || hour > 24 || minute > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day) // Date.UTC would read years below 100 as 19xx
  if (date.getUTCMonth() !== month - 1) return undefined
  date.setUTCHours(hour, minute, second)
  return date.getTime() / 1000
}

function offsetSeconds(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0
  const digits = offset.slice(1).replaceAll(':', '')
  const seconds = +digits.slice(0, 2) * 3600 + +digits.slice(2, 4) * 60 + +(digits.slice(4, 6) || 0)
  return offset.startsWith('-') ? -seconds : seconds
}

function print(seconds: number, sixDigits: string): string | undefined {
  const date = new Date(seconds * 1000)
  const year = date.getUTCFullYear()
  if (!(year >= 1 && year <= 9999)) return undefined
  return `${date.toISOString().slice(0, 19)}.${sixDigits}Z`
}
