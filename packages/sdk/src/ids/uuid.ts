/** Throws `Invalid UUID: X`, or `Invalid UUID for FIELD: X`, before a bad id can reach the network. */
export function assertUuid(id: string, field?: string): void {
  if (!isUuid(id)) throw new Error(`Invalid UUID${field ? ` for ${field}` : ''}: ${id}`)
}

/** Any version and the nil UUID, in either case; `8-4-4-4-12` hex. */
export function isUuid(id: unknown): id is string {
  return typeof id === 'string' && UUID.test(id)
}

/** Creates a version 7 UUID: its first 48 bits are the current time, so that ids sort by creation. */
export function uuid7(): string {
  return uuid7FromTime(Date.now())
}

/**
 * Creates a version 7 UUID for a given time.
 *
 * @param time epoch milliseconds, a `Date`, or anything `Date` can parse
 */
export function uuid7FromTime(time: number | string | Date): string {
  const ms = typeof time === 'number' ? Math.trunc(time) : new Date(time).getTime()
  const stamp = Math.max(0, Number.isFinite(ms) ? ms : Date.now())
    .toString(16)
    .padStart(12, '0')
    .slice(-12)
  const random = randomHex()
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${random.slice(0, 3)}-${variant()}${random.slice(4, 7)}-${random.slice(7, 19)}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const BYTES_PER_ID = 10

// One call for 100 ids: requesting ten random bytes from the system costs as much as a thousand.
const pool = new Uint8Array(BYTES_PER_ID * 100)
let used = pool.length

function randomHex(): string {
  if (used + BYTES_PER_ID > pool.length) {
    globalThis.crypto.getRandomValues(pool)
    used = 0
  }
  let hex = ''
  for (const end = used + BYTES_PER_ID; used < end; used++) hex += HEX[pool[used] ?? 0]
  return hex
}

/** The two variant bits are `10`, so this digit is one of 8, 9, a, b. No other digit comes from these bits of the pool. */
const variant = () => '89ab'.charAt((pool[used - 1] ?? 0) & 3)
