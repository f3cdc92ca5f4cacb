import type { Deps } from '../../deps.ts'
import { selectProjectsById } from '../../features/projects/index.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, each, text } from '../../storage/rows.ts'

/** A run of a request, after it was acknowledged. */
export interface SentRun {
  readonly id: string
  readonly traceId: string
  /** Id or name, as it was sent. */
  readonly project: string
}

/** The project of the first request of a trace; of the last traces. */
const MAX_TRACES = 20_000

/**
 * Runs that are stored in another project than the one that they were sent to: two exporters with different projects send the same
 * spans, and the first one decides. Only the runs of a trace that came with another project before are looked up, so that
 * other requests cost nothing; what came before a start of the server, or to another process, is not known.
 *
 * @returns name of the project by run
 */
export async function findOtherProjects<Run extends SentRun>(
  { analytics, relational, caches }: Pick<Deps, 'analytics' | 'relational' | 'caches'>,
  tenantId: string,
  runs: readonly Run[],
): Promise<Map<Run, string>> {
  const { traceProjects } = caches
  const asked = runs.filter(({ traceId, project }) => {
    const key = `${tenantId} ${traceId}`
    const first = traceProjects.get(key) ?? project
    traceProjects.delete(key)
    traceProjects.set(key, first)
    return first !== project
  })
  for (const key of traceProjects.keys()) {
    if (traceProjects.size <= MAX_TRACES) break
    traceProjects.delete(key)
  }
  if (asked.length === 0) return new Map()
  const stored = await analytics.query(
    sql`
      select id, session_id from run_keys final
      where tenant_id = ${uuid(tenantId)} and id in ${uuids(asked.map(({ id }) => id))}`,
    KEY,
  )
  const ids = [...new Set(stored.map((row) => row.session_id))]
  const projects = await selectProjectsById({ relational }, tenantId, ids)
  // Of runs with one id, the first.
  const byId = new Map(asked.toReversed().map((run) => [run.id, run]))
  const found = new Map<Run, string>()
  for (const { id, session_id } of stored) {
    const name = projects.get(session_id)?.name
    const run = byId.get(id)
    const isOther = run !== undefined && run.project !== name && run.project !== session_id
    if (name !== undefined && isOther) found.set(run, name)
  }
  return found
}

const KEY = columns(each(['id', 'session_id'], text))
