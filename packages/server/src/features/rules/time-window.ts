import { ApiError, parseTime, timeOfEpochMs } from '@touchstone/contract'

const DAY_MS = 86_400_000
const MAX_DAYS = 400

/** Times in the printed form. @throws ApiError INVALID_REQUEST when it is empty or too long */
export function toTimeWindow(
  given: { readonly from?: string | null | undefined; readonly to?: string | null | undefined },
  nowMs: number,
): { readonly from: string; readonly to: string } {
  const to = (given.to == null ? undefined : parseTime(given.to)) ?? timeOfEpochMs(nowMs)
  const from = (given.from == null ? undefined : parseTime(given.from)) ?? timeOfEpochMs(Date.parse(to) - DAY_MS)
  if (from >= to) throw new ApiError('INVALID_REQUEST', '"from" must be before "to".')
  if (Date.parse(to) - Date.parse(from) > MAX_DAYS * DAY_MS) {
    throw new ApiError('INVALID_REQUEST', `The window is longer than ${MAX_DAYS} days. Take a shorter one.`)
  }
  return { from, to }
}
