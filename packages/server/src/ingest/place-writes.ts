import { type AgentAddress, ApiError } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import { resolveAddress } from '../features/projects/agents/index.ts'
import { DEFAULT_PROJECT, resolveProject } from '../features/projects/index.ts'
import type { PlacedWrite } from './merge-run.ts'
import type { RunWrite } from './run-write.ts'

export interface Placement {
  /** Writes with their project, in their order; absent where the project is unknown. */
  readonly placed: (PlacedWrite | undefined)[]
  readonly problems: (string | undefined)[]
  readonly defaultSessionId: string
}

type PlaceDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/**
 * Finds the project of each write: by the address of an agent, an id or a name, in this order. A name or an address that
 * is new creates its project.
 */
export async function placeWrites(deps: PlaceDeps, tenantId: string, writes: readonly RunWrite[]): Promise<Placement> {
  const asked = new Map<string, Promise<string | ApiError>>()
  const find = (wanted: Wanted) => {
    const key = JSON.stringify(wanted)
    const found = asked.get(key) ?? resolve(deps, tenantId, wanted).catch(refusal)
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

type Wanted = { readonly address: AgentAddress } | { readonly id: string } | { readonly name: string }

function wantedProject({ address, sessionId, sessionName }: RunWrite): Wanted | undefined {
  if (address !== undefined) return { address }
  if (sessionId !== undefined) return { id: sessionId }
  return sessionName === undefined ? undefined : { name: sessionName }
}

function resolve(deps: PlaceDeps, tenantId: string, wanted: Wanted): Promise<string> {
  return 'address' in wanted ? resolveAddress(deps, tenantId, wanted.address) : resolveProject(deps, tenantId, wanted)
}

/** What the caller got wrong is the run's problem; a failing store is everybody's. */
function refusal(error: unknown): ApiError {
  if (error instanceof ApiError && error.status < 500) return error
  throw error
}
