// Every page needs the areas; the rest of the palette is loaded with it.

/** The areas of a workspace, named like the first part of their path. */
export const AREAS = [
  'home',
  'projects',
  'datasets',
  'prompts',
  'playground',
  'evaluators',
  'annotation-queues',
  'agents',
  'settings',
] as const
export type Area = (typeof AREAS)[number]

/** The area of a page: comparisons of runs belong to projects, the account belongs to settings. */
export function getArea(pathname: string): Area {
  if (pathname === '/account') return 'settings'
  const name = pathname.split('/')[3] ?? ''
  if (name === 'compare-runs') return 'projects'
  return AREAS.find((area) => area === name) ?? 'home'
}

/**
 * The matching page of another workspace: the list of the same area, or the same settings page. Ids exist in one
 * workspace only, so pages of a project, dataset or queue lead to the list.
 */
export function toWorkspacePath(pathname: string, tenant: string): string {
  const root = `/o/${tenant}`
  if (!pathname.startsWith('/o/')) return root
  const area = getArea(pathname)
  if (area === 'home') return root
  const page = pathname.split('/')[4]
  return area === 'settings' && page ? `${root}/settings/${page}` : `${root}/${area}`
}
