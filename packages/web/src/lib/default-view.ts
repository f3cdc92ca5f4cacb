import type { TracerSessionResult as Project } from '@touchstone/sdk'

/** Where a project keeps what our own pages know about it; clients see it in `extra` and leave it alone. */
const OURS = 'touchstone'

/** Id of the saved view that the project's list opens with. */
export function defaultViewOf(project: Pick<Project, 'extra'> | undefined): string | undefined {
  const ours = project?.extra?.[OURS]
  const id = typeof ours === 'object' && ours !== null && 'default_view' in ours ? ours.default_view : undefined
  return typeof id === 'string' ? id : undefined
}

/** @returns `extra` of a project whose list opens with that view; without one, as it came */
export function withDefaultView(id: string | undefined): Record<string, unknown> {
  return { [OURS]: id === undefined ? {} : { default_view: id } }
}
