import { z } from 'zod'

/** IANA name of a time zone, such as `Europe/Berlin`. */
export const TimeZone = z.string().max(100).refine(isTimeZone, 'is not the name of a time zone')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[A-Z]/.test(name)
  } catch {
    return false
  }
}
