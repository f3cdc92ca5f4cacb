import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { type SortKey, sortRows } from '#lib/row-sort.ts'
import type { ProjectDialog } from './project-dialogs.tsx'

/** Row with the focus, selected rows and open dialog of the projects page. */
export interface ProjectsPageState {
  activeId: string | undefined
  selected: ReadonlySet<string>
  dialog: ProjectDialog | undefined
}

export type ProjectsPageAction =
  | { kind: 'activate'; id: string }
  | { kind: 'toggle'; id: string }
  | { kind: 'open'; dialog: ProjectDialog }
  | { kind: 'close' }

export const INITIAL_STATE: ProjectsPageState = { activeId: undefined, selected: new Set(), dialog: undefined }

export function reduceProjectsPage(state: ProjectsPageState, action: ProjectsPageAction): ProjectsPageState {
  switch (action.kind) {
    case 'activate':
      return { ...state, activeId: action.id }
    case 'toggle':
      return { ...state, selected: toggleInSet(state.selected, action.id) }
    case 'open':
      return { ...state, dialog: action.dialog }
    case 'close':
      return { ...state, dialog: undefined }
  }
}

export function toggleInSet(set: ReadonlySet<string>, id: string): Set<string> {
  const next = new Set(set)
  if (!next.delete(id)) next.add(id)
  return next
}

interface Row {
  project: Project
  stats: Project | undefined
}

const SORT_KEYS: Readonly<Record<string, SortKey<Row>>> = {
  runs: ({ stats }) => stats?.run_count,
  errors: ({ stats }) => stats?.error_rate,
  p50: ({ stats }) => stats?.latency_p50,
  p99: ({ stats }) => stats?.latency_p99,
  tokens: ({ stats }) => stats?.total_tokens,
  cost: ({ stats }) => (stats?.total_cost ? Number(stats.total_cost) : undefined),
  last_run: ({ project, stats }) => stats?.last_run_start_time ?? project.last_run_start_time_live,
  created: ({ project }) => project.start_time,
}

/** @param sort  a column id, with `-` in front for descending; unknown ids sort by name */
export function sortProjects<One extends Row>(rows: readonly One[], sort: string): One[] {
  return sortRows(rows, sort, SORT_KEYS, ({ project }) => project.name)
}
