/** The first run of a comparison. */
export interface MarkedRun {
  id: string
  name: string
}

const KEY = 'touchstone.marked-run'

/** The marked run of this browser tab. It survives a reload, but not the tab. */
export const compareMark = {
  read(): MarkedRun | undefined {
    try {
      const value: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
      return isMarkedRun(value) ? value : undefined
    } catch {
      return undefined
    }
  },
  set(run: MarkedRun): void {
    sessionStorage.setItem(KEY, JSON.stringify(run))
  },
  clear(): void {
    sessionStorage.removeItem(KEY)
  },
}

function isMarkedRun(value: unknown): value is MarkedRun {
  const { id, name } = (value ?? {}) as Partial<MarkedRun>
  return typeof id === 'string' && typeof name === 'string'
}
