export const PRESETS = ['1h', '24h', '7d', '30d', 'all'] as const
export type Preset = (typeof PRESETS)[number]

/** A preset, a duration before now, or two ISO times of which one may be open. */
export type TimeRange = { preset: Preset } | { lastMs: number } | { from: string | undefined; to: string | undefined }

export interface Bounds {
  from?: string | undefined
  to?: string | undefined
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const UNIT_NAMES: Readonly<Record<string, string>> = { m: 'minute', h: 'hour', d: 'day', w: 'week' }
const SPAN = /^([1-9]\d{0,4})([mhdw])$/

/** Parses the URL's `t`: a preset, a duration such as `3d` or `90m`, or `from..to`; otherwise `undefined`. */
export function parseTimeRange(text: string): TimeRange | undefined {
  if (isPreset(text)) return { preset: text }
  const lastMs = spanMs(text)
  if (lastMs !== undefined) return { lastMs }
  const [from, to, ...rest] = text.split('..')
  if (to === undefined || rest.length > 0 || (from === '' && to === '')) return undefined
  if ([from, to].some((time) => time !== undefined && time !== '' && Number.isNaN(Date.parse(time)))) return undefined
  return { from: toIso(from), to: toIso(to) }
}

/** A custom range in the URL's format. */
export function printTimeRange(from: string | undefined, to: string | undefined): string {
  return `${from ?? ''}..${to ?? ''}`
}

/** The bounds of a range. A preset or duration ends at `nowMs`, which is read once when a list loads. */
export function toBounds(text: string, nowMs: number): Bounds {
  const range = parseTimeRange(text)
  if (!range) return {}
  if ('from' in range) return range
  const lastMs = 'lastMs' in range ? range.lastMs : spanMs(range.preset)
  return lastMs === undefined ? {} : { from: new Date(nowMs - lastMs).toISOString() }
}

/** The range for display: `Last 7 days`, `Aug 21 14:00 – Aug 22 09:30`. */
export function formatTimeRange(text: string): string {
  const range = parseTimeRange(text)
  if (!range) return text
  if ('preset' in range) return LABELS[range.preset]
  if ('lastMs' in range) {
    const [, count, unit = ''] = SPAN.exec(text) ?? []
    return count === '1' ? `Last ${UNIT_NAMES[unit]}` : `Last ${count} ${UNIT_NAMES[unit]}s`
  }
  const { from, to } = range
  if (from !== undefined && to !== undefined) return `${short(from)} – ${short(to)}`
  if (from !== undefined) return `since ${short(from)}`
  return to === undefined ? text : `until ${short(to)}`
}

/** The next wider preset, to suggest for an empty list. */
export function widen(text: string): Preset | undefined {
  if (text === 'all') return undefined
  const own = spanMs(text)
  return own === undefined ? 'all' : PRESETS.find((preset) => (spanMs(preset) ?? Number.POSITIVE_INFINITY) > own)
}

const LABELS: Record<Preset, string> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  all: 'All time',
}

/** Milliseconds of a duration or of a preset with a length. */
function spanMs(text: string): number | undefined {
  const [, count, unit = ''] = SPAN.exec(text) ?? []
  const unitMs = UNIT_MS[unit]
  return unitMs === undefined ? undefined : Number(count) * unitMs
}

function isPreset(text: string): text is Preset {
  return (PRESETS as readonly string[]).includes(text)
}

/** Keeps microseconds: a link to the runs of a bucket ends 1 µs before the next bucket. */
function toIso(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(text) ? text : new Date(text).toISOString()
}

function short(iso: string): string {
  return new Date(iso).toLocaleString('en-US', {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
}

/** The creation time of a version 7 UUID in epoch ms; undefined for other ids. */
export function readIdTime(id: string): number | undefined {
  const hex = id.replaceAll('-', '')
  return /^[0-9a-f]{12}7[0-9a-f]{19}$/i.test(hex) ? Number.parseInt(hex.slice(0, 12), 16) : undefined
}

/**
 * Milliseconds, to the microsecond, between two times as the API prints them. 0 when the end is before the start, as the API
 * counts it: the clock was set back, or two machines disagree about the time.
 */
export function msBetween(start: string, end: string | null | undefined): number | undefined {
  if (!end) return undefined
  const millis = Date.parse(`${end.slice(0, 19)}Z`) - Date.parse(`${start.slice(0, 19)}Z`)
  const micros = (time: string) => Number(time.slice(20, 26).padEnd(6, '0').replace(/\D/g, '0'))
  return Math.max(millis + (micros(end) - micros(start)) / 1000, 0)
}

/** Whether a run ends before it starts. Times of the API have one width, so text order is time order. */
export function isClockBackwards({
  start_time,
  end_time,
}: {
  readonly start_time: string
  readonly end_time?: string | null | undefined
}): boolean {
  return typeof end_time === 'string' && end_time < start_time
}

/** The mark of a run that ends before it starts. */
export const CLOCK_BACKWARDS = 'The clock went backwards: the run ends before it starts, so its latency counts as 0'
