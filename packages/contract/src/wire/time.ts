import { z } from 'zod'
import { parseTime } from './parse-time.ts'

export { microsOf, parseTime, timeOfEpochMs, timeOfMicros } from './parse-time.ts'

/** A point in time as input, normalized to the printed form. */
export const Time = z
  .union([z.string(), z.number()])
  .transform((value, context) => {
    const time = parseTime(value)
    if (time !== undefined) return time
    context.addIssue({ code: 'custom', message: 'invalid datetime: expected ISO 8601 or epoch milliseconds' })
    return z.NEVER
  })
  .meta({ type: 'string', format: 'date-time' })
