import type { TracerSessionResult as Project } from '@touchstone/sdk'
import type { ProjectDialog } from './-project-dialogs.tsx'

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

type SortKey = (row: Row) => number | string | null | undefined

const byName: SortKey = ({ project }) => project.name.toLowerCase()

/** Sort value per column; undefined while unknown, which sorts last in both directions. */
const SORT_KEYS: Record<string, SortKey> = {
  name: byName,
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
  const isDescending = sort.startsWith('-')
  const key = SORT_KEYS[isDescending ? sort.slice(1) : sort] ?? byName
  return rows.toSorted((a, b) => {
    const [x, y] = [key(a), key(b)]
    const [isKnown, isOtherKnown] = [x != null, y != null]
    if (isKnown !== isOtherKnown) return isKnown ? -1 : 1
    if (x == null || y == null || x === y) return compareNames(a, b)
    return (x < y ? -1 : 1) * (isDescending ? -1 : 1)
  })
}

/** The sort after a click on a header: figures start descending, names ascending, and a second click reverses. */
export function nextSort(current: string, column: string): string {
  const first = column === 'name' ? column : `-${column}`
  const second = column === 'name' ? `-${column}` : column
  return current === first ? second : first
}

export function getSortDirection(sort: string, column: string): 'ascending' | 'descending' | undefined {
  if (sort === column) return 'ascending'
  return sort === `-${column}` ? 'descending' : undefined
}

function compareNames(a: Row, b: Row): number {
  return a.project.name.localeCompare(b.project.name)
}
