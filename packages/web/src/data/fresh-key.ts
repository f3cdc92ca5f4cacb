/** The key that set-up made for a project: in memory alone, for the snippet on the next page. */
let fresh: { projectName: string; key: string } | undefined

export function keepFreshKey(projectName: string, key: string): void {
  fresh = { projectName, key }
}

export function freshKeyOf(projectName: string): string | undefined {
  return fresh?.projectName === projectName ? fresh.key : undefined
}
