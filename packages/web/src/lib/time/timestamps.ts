/** The creation time of a version 7 UUID in epoch ms; undefined for other ids. */
export function readIdTime(id: string): number | undefined {
  const hex = id.replaceAll('-', '')
  return /^[0-9a-f]{12}7[0-9a-f]{19}$/i.test(hex) ? Number.parseInt(hex.slice(0, 12), 16) : undefined
}

/** Milliseconds, to the microsecond, between two times as the API prints them. */
export function msBetween(start: string, end: string | null | undefined): number | undefined {
  if (!end) return undefined
  const millis = Date.parse(`${end.slice(0, 19)}Z`) - Date.parse(`${start.slice(0, 19)}Z`)
  const micros = (time: string) => Number(time.slice(20, 26).padEnd(6, '0').replace(/\D/g, '0'))
  return millis + (micros(end) - micros(start)) / 1000
}
