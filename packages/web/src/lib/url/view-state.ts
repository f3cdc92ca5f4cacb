import type { RunViewState } from '@touchstone/sdk'
import { RUNS_SEARCH_DEFAULTS, RunsSearch } from './runs-search.ts'

const PARTS = ['filter', 'traceFilter', 'treeFilter', 't', 'scope', 'cols', 'sort'] as const

/** The state of a saved view. Defaults are left out, so that saved views follow later changes of the defaults. */
export function toViewState(search: RunsSearch): RunViewState {
  const defaults: Partial<Record<string, string>> = RUNS_SEARCH_DEFAULTS
  return Object.fromEntries(
    PARTS.flatMap((part) => {
      const value = search[part]
      return value === undefined || value === defaults[part] ? [] : [[part, value]]
    }),
  )
}

/** The search params of a saved view. Missing and invalid params get their defaults. */
export function toRunsSearch(state: RunViewState): Pick<RunsSearch, (typeof PARTS)[number]> {
  const { filter, traceFilter, treeFilter, t, scope, cols, sort } = RunsSearch.parse(state)
  return { filter, traceFilter, treeFilter, t, scope, cols, sort }
}

/** Whether the search params differ from the saved view. */
export function isEdited(search: RunsSearch, state: RunViewState): boolean {
  const [now, then] = [toViewState(search), toViewState(RunsSearch.parse(state))]
  return PARTS.some((part) => now[part] !== then[part])
}
