import type { Deps } from '../../../deps.ts'
import { text as bound, sql, uuid } from '../../../storage/analytics/sql.ts'
import { columns, text } from '../../../storage/rows.ts'
import { whereRunIds } from '../../runs/index.ts'

type ContentDeps = Pick<Deps, 'analytics'>

/** Hashes of what evaluators see of runs, by run id. Deleted runs are left out. */
export async function hashRuns(
  { analytics }: ContentDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await analytics.query(
    sql`
    select id, lower(hex(sipHash128(inputs, outputs, error))) as hash
    from runs final
    where tenant_id = ${uuid(tenantId)} and ${whereRunIds(tenantId, ids)}`,
    columns({ id: text, hash: text }),
  )
  return new Map(rows.map(({ id, hash }) => [id, hash]))
}

/** Hash of what evaluators see of all runs of a trace. */
export function hashTrace(deps: ContentDeps, tenantId: string, traceId: string): Promise<string | undefined> {
  return hashWhere(
    deps,
    sql`tenant_id = ${uuid(tenantId)} and (session_id, start_time, id) in (
        select session_id, start_time, id from trace_runs final
        where tenant_id = ${uuid(tenantId)} and trace_id = ${uuid(traceId)})`,
  )
}

/** Hash of what evaluators see of the turns of a thread. */
export function hashThread(
  deps: ContentDeps,
  tenantId: string,
  { sessionId, threadId }: { readonly sessionId: string; readonly threadId: string },
): Promise<string | undefined> {
  return hashWhere(deps, whereThread(tenantId, sessionId, threadId))
}

/** The turns of a thread in `runs`. */
export const whereThread = (tenantId: string, sessionId: string, threadId: string) =>
  sql`tenant_id = ${uuid(tenantId)} and session_id = ${uuid(sessionId)} and thread_id = ${bound(threadId)}
        and parent_run_id is null`

async function hashWhere({ analytics }: ContentDeps, where: ReturnType<typeof sql>): Promise<string | undefined> {
  const [row] = await analytics.query(
    sql`
    select lower(hex(sipHash128(groupArray(hash)))) as hash
    from (select (id, sipHash128(inputs, outputs, error)) as hash from runs final where ${where} order by id)
    having count() > 0`,
    columns({ hash: text }),
  )
  return row?.hash
}
