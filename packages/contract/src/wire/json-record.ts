import { z } from 'zod'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A JSON object of a user. It is checked to be an object and is not copied. */
export const JsonRecord = z
  .custom<Record<string, unknown>>(isRecord, { error: 'is not a JSON object' })
  .meta({ type: 'object', additionalProperties: {} })
