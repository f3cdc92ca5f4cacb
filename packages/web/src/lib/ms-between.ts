/** Milliseconds, to the microsecond, between two times as the API prints them. */
export function msBetween(start: string, end: string | null | undefined): number | undefined {
  if (!end) return undefined
  const millis = Date.parse(`${end.slice(0, 19)}Z`) - Date.parse(`${start.slice(0, 19)}Z`)
  const micros = (time: string) => Number(time.slice(20, 26).padEnd(6, '0'))
  return millis + (micros(end) - micros(start)) / 1000
}
