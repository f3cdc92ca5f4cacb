interface Timed {
  readonly start_time?: string | number | undefined
  readonly end_time?: string | number | null | undefined
}

/** How long a run took; `undefined` while it has not ended. */
export function secondsOf({ start_time, end_time }: Timed): number | undefined {
  if (start_time === undefined || end_time == null) return undefined
  return (new Date(end_time).getTime() - new Date(start_time).getTime()) / 1000
}
