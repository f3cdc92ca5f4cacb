import { MAX_THREAD_KEYS, THREAD_KEYS, threadKeysOf } from '@touchstone/contract/thread-keys'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { formatCost, formatCount, formatLatency, formatRate } from '#lib/format.ts'

/** The member of a project's `extra` that holds settings of this UI. */
const UI_SETTINGS = 'touchstone'

type WithExtra = Pick<Project, 'extra'>

/** Id of the saved view that the project opens with. */
export function getDefaultViewId(project: WithExtra | undefined): string | undefined {
  const id = project && getUiSettings(project).default_view
  return typeof id === 'string' ? id : undefined
}

/** @returns the change of `extra` that sets or removes the default view */
export function withDefaultView(project: WithExtra, id: string | undefined): Record<string, unknown> {
  const { default_view: _, ...rest } = getUiSettings(project)
  return { [UI_SETTINGS]: { ...rest, ...(id !== undefined && { default_view: id }) } }
}

/** How the texts of messages are shown at first: as rendered Markdown, or every character as it was recorded. */
export const TEXT_MODES = ['markdown', 'text'] as const
export type TextMode = (typeof TEXT_MODES)[number]

/** How a project shows the texts of its messages. */
export function getTextMode(project: WithExtra | undefined): TextMode {
  const chosen = project && getUiSettings(project).message_text
  return TEXT_MODES.find((mode) => mode === chosen) ?? 'markdown'
}

/** @returns the change of `extra` that sets how messages are shown */
export function withTextMode(project: WithExtra, mode: TextMode): Record<string, unknown> {
  const { message_text: _, ...rest } = getUiSettings(project)
  return { [UI_SETTINGS]: { ...rest, ...(mode !== 'markdown' && { message_text: mode }) } }
}

/** The metadata keys that identify threads, as text for a field. */
export function threadKeysText({ extra }: WithExtra): string {
  return threadKeysOf(extra).join(', ')
}

/** @returns the error in the typed keys, or undefined */
export function validateThreadKeys(text: string): string | undefined {
  const keys = splitKeys(text)
  if (keys.length > MAX_THREAD_KEYS) return `Use at most ${MAX_THREAD_KEYS} keys.`
  return new Set(keys).size < keys.length ? 'Each key can be used only once.' : undefined
}

/** @returns the change of `extra` that sets the thread keys; no keys restore the defaults */
export function withThreadKeys(project: WithExtra, text: string): Record<string, unknown> {
  const { thread_keys: _, ...rest } = getUiSettings(project)
  const keys = splitKeys(text)
  const isDefault = keys.length === 0 || keys.join() === THREAD_KEYS.join()
  return { [UI_SETTINGS]: { ...rest, ...(!isDefault && { thread_keys: keys }) } }
}

function splitKeys(text: string): string[] {
  return text.split(/[,\s]+/).filter((key) => key !== '')
}

/** The member of `extra` with the settings of this UI, as it is stored. */
export function getUiSettingsMember({ extra }: WithExtra): Record<string, unknown> {
  return { [UI_SETTINGS]: extra?.[UI_SETTINGS] ?? null }
}

function getUiSettings({ extra }: WithExtra): Record<string, unknown> {
  const ours = extra?.[UI_SETTINGS]
  return typeof ours === 'object' && ours !== null ? (ours as Record<string, unknown>) : {}
}

/** Statistics of a project in a time range. Latency in seconds, cost in US dollars; undefined if unknown. */
export interface Health {
  runs: number
  /** 0 to 1; undefined without runs. */
  errorRate: number | undefined
  latencyP99: number | undefined
  /** The part of the cost that the client reported, because no price is known. */
  reportedCost?: number | undefined
  /** Calls whose cost is without their fees. */
  unpricedFees?: number | undefined
  cost: number | undefined
}

/** With fewer runs a rate or a percentile is not meaningful and does not affect the order. */
const MIN_RUNS = 5

/**
 * How much worse a project got, for sorting. One percentage point of errors counts as much as 10 % more latency; having no
 * runs any more counts as half of all runs failing; more runs than before are not worse.
 *
 * @returns 0 if nothing got worse
 */
export function worsening(now: Health, before: Health): number {
  if (now.runs < MIN_RUNS) return before.runs >= 4 * MIN_RUNS && now.runs === 0 ? 5 : 0
  const errors = Math.max((now.errorRate ?? 0) - (before.errorRate ?? 0), 0) * 10
  if (before.runs < MIN_RUNS) return errors
  const slower = Math.max((now.latencyP99 ?? 0) / (before.latencyP99 || Number.POSITIVE_INFINITY) - 1, 0)
  return errors + Math.min(slower, 10)
}

/** The changes of a project since the period before; undefined for figures that were unknown then. */
export type HealthChanges = Record<
  Exclude<keyof Health, 'reportedCost' | 'unpricedFees'>,
  ReturnType<typeof formatChange>
>

/** @returns no changes if there were no runs before: the first runs are not an increase */
export function formatHealthChanges(now: Health, before: Health): HealthChanges {
  const change = (name: keyof Health, print: (size: number) => string) =>
    before.runs > 0 ? formatChange(now[name], before[name], print) : undefined
  return {
    runs: change('runs', formatCount),
    // Differences of rates are percentage points.
    errorRate: change('errorRate', (size) => formatRate(size).replace('%', 'pp')),
    latencyP99: change('latencyP99', (size) => formatLatency(size * 1000)),
    cost: change('cost', (size) => formatCost(String(size))),
  }
}

/** A change with its sign, for example `+1.2 s`; undefined if one side is unknown. */
export function formatChange(
  now: number | undefined,
  before: number | undefined,
  print: (size: number) => string,
): { text: string; direction: 'up' | 'down' | 'same' } | undefined {
  if (now === undefined || before === undefined) return undefined
  const size = print(Math.abs(now - before))
  if (size === print(0)) return { text: '±0', direction: 'same' }
  return now > before ? { text: `+${size}`, direction: 'up' } : { text: `−${size}`, direction: 'down' }
}
