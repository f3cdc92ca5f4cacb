import { ApiError } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import { DEFAULT_PROJECT, resolveProject } from '../features/projects/index.ts'
import type { PlacedWrite } from './merge-run.ts'
import type { RunWrite } from './run-write.ts'

export interface Placement {
  /** Writes with their project, in their order; absent where the project is unknown. */
  readonly placed: (PlacedWrite | undefined)[]
  readonly problems: (string | undefined)[]
  readonly defaultSessionId: string
}

/** Finds the project of each write; an id wins over a name, and a name that is new creates its project. */
export async function placeWrites(
  deps: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  tenantId: string,
  writes: readonly RunWrite[],
): Promise<Placement> {
  const asked = new Map<string, Promise<string | ApiError>>()
  const find = (wanted: { id?: string; name?: string }) => {
    const key = wanted.id ?? `name:${wanted.name}`
    const found = asked.get(key) ?? resolveProject(deps, tenantId, wanted).catch(refusal)
    asked.set(key, found)
    return found
  }
  const defaultSessionId = await resolveProject(deps, tenantId, { name: DEFAULT_PROJECT })
  const problems: (string | undefined)[] = []
  const placed = await Promise.all(
    writes.map(async (write, at) => {
      const wanted = wantedProject(write)
      const found = wanted === undefined ? undefined : await find(wanted)
      problems[at] = found instanceof ApiError ? found.message : undefined
      return found instanceof ApiError ? undefined : { ...write, sessionId: found }
    }),
  )
  return { placed, problems, defaultSessionId }
}

function wantedProject(write: RunWrite): { id?: string; name?: string } | undefined {
  if (write.sessionId !== undefined) return { id: write.sessionId }
  return write.sessionName === undefined ? undefined : { name: write.sessionName }
}

/** What the caller got wrong is the run's problem; a failing store is everybody's. */
function refusal(error: unknown): ApiError {
  if (error instanceof ApiError && error.status < 500) return error
  throw error
}
