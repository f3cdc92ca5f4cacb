const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

/**
 * Parses a UUID of any version, also 32 hex digits without dashes, to its lower-case form with dashes; `undefined` for
 * anything else.
 */
export function parseUuid(text: unknown): string | undefined {
  if (typeof text !== 'string' || !UUID.test(text)) return undefined
  const lower = text.toLowerCase()
  if (lower.length === 36) return lower
  const hex = lower.replaceAll('-', '')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
