import type { AlertDefinition, QuietHours } from '@touchstone/contract'
import type { Policy } from './machine.ts'

const MINUTE_MS = 60_000

interface Notified {
  readonly muteUntilMs: number | null
  readonly isAcknowledged: boolean
}

/** What the definition of an alert states about its states. */
export function toPolicy(definition: AlertDefinition, { muteUntilMs, isAcknowledged }: Notified): Policy {
  const { quiet_hours: quiet } = definition
  return {
    forMs: definition.for_minutes * MINUTE_MS,
    recoveryMs: (definition.recovery_minutes ?? definition.window_minutes) * MINUTE_MS,
    noData: definition.no_data,
    renotifyMs: definition.renotify_minutes == null ? null : definition.renotify_minutes * MINUTE_MS,
    isAcknowledged,
    isSilent: (at) => (muteUntilMs !== null && at < muteUntilMs) || (quiet != null && isQuiet(quiet, at)),
    isFurther: (value, than) => {
      if (definition.kind === 'anomaly' && definition.is_two_sided) return Math.abs(value) > Math.abs(than)
      return isUpward(definition) ? value > than : value < than
    },
  }
}

export const isUpward = ({ operator }: Pick<AlertDefinition, 'operator'>) => operator === 'gt' || operator === 'gte'

/** Whether a moment lies in quiet hours, by the clock of their time zone. */
export function isQuiet({ time_zone, from, to }: QuietHours, at: number): boolean {
  const clock = toClock(time_zone, at)
  return from <= to ? from <= clock && clock < to : clock >= from || clock < to
}

const FORMATS = new Map<string, Intl.DateTimeFormat>()

/** `HH:MM`. */
function toClock(timeZone: string, at: number): string {
  let format = FORMATS.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    FORMATS.set(timeZone, format)
  }
  return format.format(at)
}
