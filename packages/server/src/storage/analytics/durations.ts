/**
 * SQL of the microseconds from one time to another, null without an end. An end before the start is that of a clock that
 * was set back, or of another machine: nothing takes less than no time.
 */
export function microsBetween(start: string, end: string): string {
  // A product, because it is null with the end; `greatest` is 0.
  return `dateDiff('microsecond', ${start}, ${end}) * (${end} > ${start})`
}
