import type { RunViewState } from '@touchstone/sdk'
import { RUNS_SEARCH_DEFAULTS, RunsSearch } from './runs-search.ts'

const PARTS = ['filter', 'traceFilter', 'treeFilter', 't', 'scope', 'cols', 'sort'] as const

/** What a view keeps of an address; defaults are left out, so that views outlive a change of them. */
export function toViewState(search: RunsSearch): RunViewState {
  const defaults: Partial<Record<string, string>> = RUNS_SEARCH_DEFAULTS
  return Object.fromEntries(
    PARTS.flatMap((part) => {
      const value = search[part]
      return value === undefined || value === defaults[part] ? [] : [[part, value]]
    }),
  )
}

/** The parameters that open a view; what it does not say is the default, and what is unreadable falls back to it. */
export function toRunsSearch(state: RunViewState): Pick<RunsSearch, (typeof PARTS)[number]> {
  const { filter, traceFilter, treeFilter, t, scope, cols, sort } = RunsSearch.parse(state)
  return { filter, traceFilter, treeFilter, t, scope, cols, sort }
}

/** Whether an address no longer shows what a view holds. */
export function isEdited(search: RunsSearch, state: RunViewState): boolean {
  const [now, then] = [toViewState(search), toViewState(RunsSearch.parse(state))]
  return PARTS.some((part) => now[part] !== then[part])
}
