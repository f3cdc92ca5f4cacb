/**
 * The matching page of another workspace: its projects, or the same settings page. Ids exist in one workspace only, so
 * pages of a project or run lead to the list.
 */
export function toWorkspacePath(pathname: string, tenant: string): string {
  const [, , , area, page] = pathname.split('/')
  const root = `/o/${tenant}`
  if (!pathname.startsWith('/o/') || (area !== 'projects' && area !== 'settings')) return root
  return area === 'settings' && page ? `${root}/settings/${page}` : `${root}/${area}`
}
