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
