import type { CompareSearch } from '#features/experiments/search.ts'

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

/** Makes a feedback key or a figure the metric of the page. The switch of its direction belongs to the metric before. */
export function chooseMetric(metric: string): SearchChange {
  return { metric, flip: undefined }
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

interface Counted {
  readonly run_count?: number | null | undefined
  readonly feedback_stats?: Readonly<Record<string, { readonly n: number }>> | null | undefined
}

/** Changes when runs or scores of experiments arrive. */
export function getRevision(projects: Iterable<Counted>): string {
  return Array.from(projects, ({ run_count, feedback_stats }) => {
    const scores = Object.values(feedback_stats ?? {}).reduce((sum, { n }) => sum + n, 0)
    return `${run_count ?? 0}/${scores}`
  }).join(' ')
}
