/** How long an item is kept for this reviewer. */
export interface Reservation {
  untilMs: number
  /** From taking it to its end. */
  lengthMs: number
}

export type ReservationState = { kind: 'held'; remainingMs: number; isEnding: boolean } | { kind: 'ended' }

/** The warning is shown for the last minute, or for the last half of shorter reservations. */
const WARNING_MS = 60_000
/** An extension is sent when a tenth of the time has passed, but not more often than this. */
const EXTEND_EVERY_MS = 5_000

export function getReservationState({ untilMs, lengthMs }: Reservation, nowMs: number): ReservationState {
  const remainingMs = untilMs - nowMs
  if (remainingMs <= 0) return { kind: 'ended' }
  return { kind: 'held', remainingMs, isEnding: remainingMs <= Math.min(WARNING_MS, lengthMs / 2) }
}

/** Whether activity at this time should extend the reservation. One that ended has to be taken again. */
export function shouldExtend({ untilMs, lengthMs }: Reservation, nowMs: number): boolean {
  const remainingMs = untilMs - nowMs
  return remainingMs > 0 && lengthMs - remainingMs >= Math.max(EXTEND_EVERY_MS, lengthMs / 10)
}

/** `58:12`, `1:02:05`. */
export function formatCountdown(ms: number): string {
  const total = Math.max(0, Math.ceil(ms / 1000))
  const pad = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds)}` : `${minutes}:${pad(seconds)}`
}
