export const PRESETS = ['1h', '24h', '7d', '30d', 'all'] as const
export type Preset = (typeof PRESETS)[number]

/** A preset, or two ISO times of which one may be open. */
export type TimeRange = { preset: Preset } | { from: string | undefined; to: string | undefined }

export interface Bounds {
  from?: string | undefined
  to?: string | undefined
}

const HOUR_MS = 3_600_000
const SPAN_MS: Record<Exclude<Preset, 'all'>, number> = {
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
}

/** Reads the URL's `t`: a preset, or `from..to`; `undefined` when it is neither. */
export function parseTimeRange(text: string): TimeRange | undefined {
  if (isPreset(text)) return { preset: text }
  const [from, to, ...rest] = text.split('..')
  if (to === undefined || rest.length > 0 || (from === '' && to === '')) return undefined
  if ([from, to].some((time) => time !== '' && Number.isNaN(Date.parse(time!)))) return undefined
  return { from: isoOf(from), to: isoOf(to) }
}

/** The URL's form of a custom range. */
export function printTimeRange(from: string | undefined, to: string | undefined): string {
  return `${from ?? ''}..${to ?? ''}`
}

/** Where a range begins and ends; a preset is counted back from `nowMs`, which is read once when a list loads. */
export function boundsOf(text: string, nowMs: number): Bounds {
  const range = parseTimeRange(text)
  if (!range) return {}
  if (!('preset' in range)) return range
  return range.preset === 'all' ? {} : { from: new Date(nowMs - SPAN_MS[range.preset]).toISOString() }
}

/** As a button shows it: `Last 7 days`, `Aug 21 14:00 – Aug 22 09:30`. */
export function labelOfTimeRange(text: string): string {
  const range = parseTimeRange(text)
  if (!range) return text
  if ('preset' in range) return LABELS[range.preset]
  if (range.from === undefined) return `until ${short(range.to!)}`
  return range.to === undefined ? `since ${short(range.from)}` : `${short(range.from)} – ${short(range.to)}`
}

/** The next wider preset, to offer when nothing was found. */
export function widen(text: string): Preset | undefined {
  return isPreset(text) ? PRESETS[PRESETS.indexOf(text) + 1] : 'all'
}

const LABELS: Record<Preset, string> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  all: 'All time',
}

function isPreset(text: string): text is Preset {
  return (PRESETS as readonly string[]).includes(text)
}

function isoOf(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : new Date(text).toISOString()
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
