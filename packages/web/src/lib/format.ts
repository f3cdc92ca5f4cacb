import { decimalsPreference, zonePreference } from './preferences.ts'

/** Formats of all displayed numbers, times and costs. Unknown values are always `-`, never zero. */
export const UNKNOWN = '-'

/** `local`, `UTC` or an IANA name such as `Europe/Berlin`. */
export type Zone = string

/** A duration: `0.4 ms`, `842 ms`, `3.42 s`, `12.3 s`, `2m 04s`, `1h 12m`. */
export function formatLatency(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || Number.isNaN(ms)) return UNKNOWN
  if (ms < 0) return `-${formatLatency(-ms)}`
  if (ms === 0) return '0 ms'
  if (ms < 0.095) return `${trimZeros((ms * 1000).toFixed(0))} µs`
  if (ms < 9.95) return `${trimZeros(ms.toFixed(1))} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 9_995) return `${(ms / 1000).toFixed(2)} s`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  return formatMinutes(Math.round(ms / 1000))
}

/** A token count: exact to 9,999, then `12.3k`, `1.20M`. */
export function formatTokens(tokens: number | null | undefined): string {
  if (tokens === null || tokens === undefined || Number.isNaN(tokens)) return UNKNOWN
  return tokens <= 9_999 ? grouped(tokens) : shortened(tokens)
}

/** Prompt and completion tokens side by side: `1.2k → 312`. */
export function formatTokenPair(prompt: number | null | undefined, completion: number | null | undefined): string {
  if (!prompt && !completion) return UNKNOWN
  return `${shortened(prompt ?? 0)} → ${shortened(completion ?? 0)}`
}

/**
 * Dollars: `$0.00042` (two significant digits under a cent), `$0.04`, `$1,204`.
 *
 * @param cost    a decimal string as the API sends it; null or undefined when no price is known
 * @param reason  why the cost is unknown, e.g. `no price for model X`; shown after the dash
 */
export function formatCost(cost: string | null | undefined, reason?: string): string {
  const dollars = cost === null || cost === undefined || cost === '' ? Number.NaN : Number(cost)
  if (Number.isNaN(dollars)) return reason ? `${UNKNOWN} (${reason})` : UNKNOWN
  if (dollars < 0) return `-${formatCost(String(-dollars))}`
  if (dollars === 0) return '$0.00'
  if (dollars < 0.00995) return `$${plainDecimal(dollars, 2)}`
  if (dollars < 999.995) return `$${dollars.toFixed(2)}`
  return `$${grouped(Math.round(dollars))}`
}

/** A cost within a sentence: `$3.50`, `unknown`. */
export const spellCost = (cost: string | null) => (cost === null ? 'unknown' : formatCost(cost))

/** A count: `10,000`; `~1.2M` when it is an estimate. */
export function formatCount(count: number | null | undefined, options: { estimated?: boolean } = {}): string {
  if (count === null || count === undefined || Number.isNaN(count)) return UNKNOWN
  return options.estimated ? `~${shortened(count, 1)}` : grouped(count)
}

/**
 * A count with its noun: `1 run`, `1,204 runs`.
 *
 * @param plural  for nouns whose plural is not the noun with an `s`
 */
export function pluralize(count: number | null | undefined, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`
}

/** A share from 0 to 1: `1.8 %`, `0 %`, `100 %`. */
export function formatRate(share: number | null | undefined): string {
  if (share === null || share === undefined || Number.isNaN(share)) return UNKNOWN
  const percent = share * 100
  return `${trimZeros(percent.toFixed(Math.abs(percent) < 0.1 ? 2 : 1))} %`
}

/** A score, with the preferred number of decimals. */
export function formatScore(score: number | null | undefined, decimals = decimalsPreference.read()): string {
  if (score === null || score === undefined || Number.isNaN(score)) return UNKNOWN
  return score.toFixed(decimals)
}

/** A difference of scores with its sign: `+0.03`, `-0.08`, `0.00`. */
export function formatScoreDelta(delta: number | null | undefined, decimals = decimalsPreference.read()): string {
  const text = formatScore(delta, decimals)
  if (Number(text) === 0) return formatScore(0, decimals)
  return delta !== null && delta !== undefined && delta > 0 ? `+${text}` : text
}

/** A size in decimal units: `512 B`, `1.2 kB`, `20.4 MB`. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined || Number.isNaN(bytes)) return UNKNOWN
  if (bytes < 1_000) return `${bytes} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  let size = bytes / 1_000
  let unit = 0
  while (size >= 999.95 && unit < units.length - 1) {
    size /= 1_000
    unit++
  }
  return `${size.toFixed(1)} ${units[unit]}`
}

/**
 * How long ago within the last hour (`12s ago`, `4m ago`), otherwise the absolute time.
 *
 * @param now  epoch milliseconds, so that a list ages all its rows by the same clock
 */
export function formatRelativeTime(
  iso: string | null | undefined,
  now = Date.now(),
  zone: Zone = zonePreference.read(),
): string {
  const at = epochMs(iso)
  if (iso === null || iso === undefined || at === undefined) return UNKNOWN
  const seconds = Math.floor((now - at) / 1000)
  if (seconds < -5 || seconds >= 3600) return formatAbsoluteTime(iso, zone, now)
  if (seconds < 1) return 'now'
  return seconds < 60 ? `${seconds}s ago` : `${Math.floor(seconds / 60)}m ago`
}

/** `Aug 21 14:03:22.118`, with the year if it is not the current one. */
export function formatAbsoluteTime(
  iso: string | null | undefined,
  zone: Zone = zonePreference.read(),
  now = Date.now(),
): string {
  const at = epochMs(iso)
  if (iso === null || iso === undefined || at === undefined) return UNKNOWN
  const parts = partsIn(at, zone)
  const year = parts.year === partsIn(now, zone).year ? '' : ` ${parts.year}`
  return `${parts.month} ${parts.day}${year} ${parts.hour}:${parts.minute}:${parts.second}.${iso.slice(20, 23).padEnd(3, '0')}`
}

/** For columns: `14:03:22` today, `Aug 21 14:03` this year, `Aug 21 2024` before. */
export function formatCompactTime(
  iso: string | null | undefined,
  now = Date.now(),
  zone: Zone = zonePreference.read(),
): string {
  const at = epochMs(iso)
  if (at === undefined) return UNKNOWN
  const [parts, today] = [partsIn(at, zone), partsIn(now, zone)]
  const day = `${parts.month} ${parts.day}`
  if (parts.year !== today.year) return `${day} ${parts.year}`
  const minute = `${parts.hour}:${parts.minute}`
  return parts.month === today.month && parts.day === today.day ? `${minute}:${parts.second}` : `${day} ${minute}`
}

/** `Aug 21`, with the year if it is not the current one. */
export function formatDay(
  iso: string | null | undefined,
  zone: Zone = zonePreference.read(),
  now = Date.now(),
): string {
  return formatAbsoluteTime(iso, zone, now).replace(/ \d\d:.*$/, '')
}

/** `Aug 21 14:03`, with the year if it is not the current one. */
export function formatMinute(
  iso: string | null | undefined,
  zone: Zone = zonePreference.read(),
  now = Date.now(),
): string {
  return formatAbsoluteTime(iso, zone, now).replace(/:\d\d\.\d*$/, '')
}

/** The name of a time zone for a column header. */
export function zoneLabel(zone: Zone = zonePreference.read()): string {
  return zone === 'local' ? SYSTEM_ZONE : zone
}

/** Read once: reading it for every cell was a sixth of the scripts of a scrolled list. */
const SYSTEM_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

function formatMinutes(seconds: number): string {
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`
  const hours = Math.round(minutes / 60)
  return `${Math.floor(hours / 24)}d ${pad(hours % 24)}h`
}

function shortened(count: number, decimalsOfMillions = 2): string {
  if (count < 1_000) return String(count)
  if (count < 999_950) return `${(count / 1_000).toFixed(1)}k`
  if (count < 999_500_000) return `${(count / 1_000_000).toFixed(decimalsOfMillions)}M`
  return `${(count / 1_000_000_000).toFixed(decimalsOfMillions)}B`
}

/** Without an exponent: 4.2e-7 becomes 0.00000042. */
function plainDecimal(value: number, significant: number): string {
  const places = Math.min(significant - 1 - Math.floor(Math.log10(value)), 20)
  return trimZeros(value.toFixed(places))
}

const GROUPED = new Intl.NumberFormat('en-US')

function grouped(count: number): string {
  return GROUPED.format(count)
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

function epochMs(iso: string | null | undefined): number | undefined {
  const ms = Date.parse(iso ?? '')
  return Number.isNaN(ms) ? undefined : ms
}

const formatters = new Map<Zone, Intl.DateTimeFormat>()

/** Offsets of time zones are multiples of 15 minutes, so only minutes and seconds change within a quarter. */
const QUARTER_MS = 15 * 60_000
/** Formatted quarters of the last used time zone. Rows of a list share them. */
const cache = { zone: '', quarters: new Map<number, Record<string, string>>() }
const MAX_QUARTERS = 2_000

function partsIn(ms: number, zone: Zone): Record<string, string> {
  if (cache.zone !== zone || cache.quarters.size > MAX_QUARTERS) Object.assign(cache, { zone, quarters: new Map() })
  const quarter = Math.floor(ms / QUARTER_MS)
  let parts = cache.quarters.get(quarter)
  if (!parts) {
    parts = readParts(quarter * QUARTER_MS, zone)
    cache.quarters.set(quarter, parts)
  }
  const seconds = Math.floor((ms - quarter * QUARTER_MS) / 1000)
  return { ...parts, minute: pad(Number(parts.minute) + Math.floor(seconds / 60)), second: pad(seconds % 60) }
}

function readParts(ms: number, zone: Zone): Record<string, string> {
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      ...(zone === 'local' ? {} : { timeZone: zone }),
    })
    formatters.set(zone, formatter)
  }
  return Object.fromEntries(formatter.formatToParts(ms).map((part) => [part.type, part.value]))
}

/** Moves the decimal point six places to the left, exactly: `2.5` per million tokens is `0.0000025` per token. */
export function toPricePerToken(perMillion: string): string {
  return shifted(perMillion, -6)
}

/** Moves the decimal point six places to the right, exactly: `0.0000025` per token is `2.5` per million. */
export function toPricePerMillion(perToken: string): string {
  return shifted(perToken, 6)
}

/** A plain decimal of dollars: no sign, no exponent. */
export function isPrice(text: string): boolean {
  return /^\d{1,9}(\.\d{1,12})?$/.test(text.trim())
}

function shifted(text: string, places: number): string {
  const [whole = '', fraction = ''] = text.trim().split('.')
  const digits = whole + fraction
  const point = whole.length + places
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const at = point <= 0 ? 1 : point
  const moved = padded.slice(at) === '' ? padded : `${padded.slice(0, at)}.${padded.slice(at)}`
  return trimmed(moved)
}

function trimmed(text: string): string {
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  return short.replace(/^0+(?=\d)/, '')
}
