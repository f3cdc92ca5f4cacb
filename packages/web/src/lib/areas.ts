// Every page needs the areas; the rest of the palette is loaded with it.

/**
 * The areas of a workspace: named like the first part of their path, with their title and the letter that opens them after
 * g. Sidebar, breadcrumbs, shortcuts and palette share them, so that an area costs every page one line.
 */
export const AREAS = [
  ['home', 'Home', 'h'],
  ['projects', 'Projects', 'p'],
  ['datasets', 'Datasets & experiments', 'd'],
  ['prompts', 'Prompts', 'm'],
  ['playground', 'Playground', 'y'],
  ['evaluators', 'Evaluators', 'v'],
  ['rules', 'Automations', 'u'],
  ['annotation-queues', 'Annotation queues', 'q'],
  ['agents', 'Agents', 'a'],
  ['settings', 'Settings', 's'],
] as const
export type Area = (typeof AREAS)[number][0]

/** The path of an area, for links. */
export function getAreaPath<Name extends Area>(area: Name) {
  type Path = Name extends 'home' ? '/o/$tenant' : `/o/$tenant/${Name}`
  return (area === 'home' ? '/o/$tenant' : `/o/$tenant/${area}`) as Path
}

/** The area of a page: comparisons of runs belong to projects, the account belongs to settings. */
export function getArea(pathname: string): Area {
  if (pathname === '/account') return 'settings'
  const name = pathname.split('/')[3] ?? ''
  if (name === 'compare-runs') return 'projects'
  return AREAS.find(([area]) => area === name)?.[0] ?? 'home'
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
