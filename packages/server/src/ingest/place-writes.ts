import { type AgentAddress, ApiError } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import { resolveAddress } from '../features/projects/agents/index.ts'
import { resolveProject } from '../features/projects/index.ts'
import type { Outcome, Problems } from '../outcome.ts'
import type { RunWrite } from './run-write.ts'

/** A write on its way into a block. */
export interface PendingWrite {
  /** The write as the client sent it; problems are reported under it. */
  readonly source: RunWrite
  /** The write to merge: `sessionId` is the project, absent when the client named none; the path may be completed. */
  readonly write: RunWrite
}

export interface ResolvedWrites {
  /** Id of the project that a write names; absent when it names none. */
  readonly sessions: ReadonlyMap<RunWrite, string>
  readonly refused: Problems<RunWrite>
}

type ResolveDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'>

/**
 * Finds the project of each write: by the address of an agent, an id or a name, in this order. A new name or address
 * creates its project.
 */
export async function resolveProjects(
  deps: ResolveDeps,
  tenantId: string,
  writes: readonly RunWrite[],
): Promise<ResolvedWrites> {
  const lookups = new Map<string, Promise<Outcome<string>>>()
  const resolveOnce = (target: Target) => {
    const key = JSON.stringify(target)
    const found = lookups.get(key) ?? resolve(deps, tenantId, target)
    lookups.set(key, found)
    return found
  }
  const resolved = await Promise.all(
    writes.map(async (source) => {
      const target = toTarget(source)
      return { source, project: target && (await resolveOnce(target)) }
    }),
  )
  const sessions = new Map<RunWrite, string>()
  const refused = new Map<RunWrite, string>()
  for (const { source, project } of resolved) {
    if (project === undefined) continue
    if ('ok' in project) sessions.set(source, project.ok)
    else refused.set(source, project.problem)
  }
  return { sessions, refused }
}

/** The project that a client named. */
type Target = { readonly address: AgentAddress } | { readonly id: string } | { readonly name: string }

function toTarget({ address, sessionId, sessionName }: RunWrite): Target | undefined {
  if (address !== undefined) return { address }
  if (sessionId !== undefined) return { id: sessionId }
  return sessionName === undefined ? undefined : { name: sessionName }
}

/** An error of the client is a problem of its runs; a failure of the store fails the whole block. */
async function resolve(deps: ResolveDeps, tenantId: string, target: Target): Promise<Outcome<string>> {
  try {
    const id =
      'address' in target
        ? await resolveAddress(deps, tenantId, target.address)
        : await resolveProject(deps, tenantId, target)
    return { ok: id }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return { problem: error.message }
    throw error
  }
}
