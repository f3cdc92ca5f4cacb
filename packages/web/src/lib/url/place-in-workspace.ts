/**
 * The page of another workspace that is of the same kind as the one that is open: its projects, or the same settings. What
 * an id names is in one workspace only, so pages of one project or run lead to the list.
 */
export function toWorkspacePath(pathname: string, tenant: string): string {
  const [, , , area, page] = pathname.split('/')
  const root = `/o/${tenant}`
  if (!pathname.startsWith('/o/') || (area !== 'projects' && area !== 'settings')) return root
  return area === 'settings' && page ? `${root}/settings/${page}` : `${root}/${area}`
}
