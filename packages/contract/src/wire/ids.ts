import { z } from 'zod'
import { parseUuid } from './parse-uuid.ts'

export { parseUuid } from './parse-uuid.ts'

/** A UUID of any version as input, normalized to lower case with dashes. */
export const Uuid = z
  .string()
  .transform((text, context) => {
    const uuid = parseUuid(text)
    if (uuid !== undefined) return uuid
    context.addIssue({ code: 'custom', message: 'value is not a valid uuid' })
    return z.NEVER
  })
  .meta({ type: 'string', format: 'uuid' })

/**
 * A new time-ordered id (UUID version 7, RFC 9562).
 *
 * @param nowMs  milliseconds since 1970. @default the clock
 */
export function uuid7(nowMs: number = Date.now()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  let rest = Math.floor(nowMs)
  for (let at = 5; at >= 0; at--) {
    bytes[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
  bytes[6] = (bytes[6]! & 0x0f) | 0x70
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
