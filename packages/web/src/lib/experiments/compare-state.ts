import type { ComparisonCells } from './comparison.ts'
import type { CompareSearch } from './search.ts'

/** Most experiments that one page compares. */
export const MAX_EXPERIMENTS = 6

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The experiments that the URL names, without repeats, and the number of those beyond the limit. */
export function parseSelected({ selectedSessions }: Pick<CompareSearch, 'selectedSessions'>) {
  const named = (selectedSessions ?? '').split(',').map((id) => id.trim().toLowerCase())
  const ids = [...new Set(named.filter((id) => UUID.test(id)))]
  return { ids: ids.slice(0, MAX_EXPERIMENTS), omitted: Math.max(0, ids.length - MAX_EXPERIMENTS) }
}

/** A change of the search params. Undefined removes a param. */
export type SearchChange = { readonly [Name in keyof CompareSearch]?: CompareSearch[Name] | undefined }

/** Removes an experiment, with everything that refers to it. */
export function removeExperiment(search: CompareSearch, id: string): SearchChange {
  const { ids } = parseSelected(search)
  const mentions = (text: string | undefined) => text?.includes(id) ?? false
  const show = search.show?.split(',').filter((part) => !part.endsWith(`.${id}`))
  return {
    selectedSessions: ids.filter((one) => one !== id).join(',') || undefined,
    baseline: search.baseline === id ? undefined : search.baseline,
    sort: mentions(search.sort) ? undefined : search.sort,
    show: show?.length ? show.join(',') : undefined,
    filter: mentions(search.filter) ? undefined : search.filter,
    peek: undefined,
  }
}

export function addExperiment(search: CompareSearch, id: string): SearchChange {
  const { ids } = parseSelected(search)
  return ids.includes(id) || ids.length >= MAX_EXPERIMENTS ? {} : { selectedSessions: [...ids, id].join(',') }
}

/** The repetition of the URL, from 0; undefined for all together. */
export function parseRepetition({ rep }: Pick<CompareSearch, 'rep'>, repetitions: number): number | undefined {
  const number = Number(rep)
  return Number.isInteger(number) && number >= 1 && number <= repetitions ? number - 1 : undefined
}

/** Steps through all together, then each repetition, and around. @returns the `rep` param */
export function stepRepetition(current: number | undefined, repetitions: number, by: 1 | -1): string | undefined {
  if (repetitions < 2) return undefined
  const at = (current ?? -1) + 1 + by
  const next = (at + repetitions + 1) % (repetitions + 1)
  return next === 0 ? undefined : String(next)
}

/** Runs of an experiment that have ended, and how many it will have. */
export interface Progress {
  readonly done: number
  /** Expected runs; undefined when it is not known. */
  readonly total: number | undefined
  readonly isRunning: boolean
}

/** An experiment without a sign of life for this long has stopped. */
const LOST_AFTER_MS = 10 * 60_000

/**
 * How far an experiment is. It is running until its end is recorded, or until nothing has arrived for ten minutes.
 *
 * @param expected  examples of the dataset times repetitions
 */
export function readProgress(
  experiment: ComparisonCells['experiments'][number],
  project: { readonly start_time?: string | undefined; readonly end_time?: string | null | undefined } | undefined,
  expected: number | undefined,
  now: number,
): Progress {
  const { runs } = experiment
  const done = runs.status.filter((status) => status !== 'pending').length
  const last = Date.parse(runs.startedAt.at(-1) ?? project?.start_time ?? '')
  const isRecent = last > now - LOST_AFTER_MS
  const isRunning = isRecent && project !== undefined && (project.end_time === null || project.end_time === undefined)
  return { done, total: expected !== undefined && expected >= done ? expected : undefined, isRunning }
}

/** The repetitions that an experiment was asked to make, from its metadata. */
export function readRequestedRepetitions(extra: unknown): number {
  const metadata = (extra as { metadata?: { num_repetitions?: unknown } } | null | undefined)?.metadata
  const count = metadata?.num_repetitions
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : 1
}
