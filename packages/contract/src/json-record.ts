import { z } from 'zod'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A JSON object that is cargo: only that it is one is checked, and nothing of it is copied. */
export const JsonRecord = z
  .custom<Record<string, unknown>>(isRecord, { error: 'is not a JSON object' })
  .meta({ type: 'object', additionalProperties: {} })
