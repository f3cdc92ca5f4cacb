import type { Deps } from '../../deps.ts'
import { text as bound, type Fragment, sql, uint, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, count, text } from '../../storage/rows.ts'
import type { EvaluatorStep } from './judge.ts'

/** Steps of one row. */
const MAX_STEPS = 1_000
/** Characters of their payloads together. */
export const MAX_STEP_CHARACTERS = 1_000_000

type StepDeps = Pick<Deps, 'analytics'>

/** The runs of a trace as evaluators see them, oldest first. */
export function readSteps(deps: StepDeps, tenantId: string, traceId: string): Promise<EvaluatorStep[]> {
  return selectSteps(
    deps,
    sql`tenant_id = ${uuid(tenantId)} and (session_id, start_time, id) in (
        select session_id, start_time, id from trace_runs final
        where tenant_id = ${uuid(tenantId)} and trace_id = ${uuid(traceId)})`,
  )
}

/** The turns of a thread as evaluators see them, oldest first. */
export function readTurns(
  deps: StepDeps,
  tenantId: string,
  { sessionId, threadId }: { readonly sessionId: string; readonly threadId: string },
): Promise<EvaluatorStep[]> {
  return selectSteps(
    deps,
    sql`tenant_id = ${uuid(tenantId)} and session_id = ${uuid(sessionId)} and thread_id = ${bound(threadId)}
        and parent_run_id is null`,
  )
}

const SIZED = columns({ id: text, name: text, run_type: text, error: text, size: count })
const PAYLOAD = columns({ id: text, inputs: text, outputs: text })
/** Characters of an error. */
const MAX_ERROR = 2_000

/** Payloads are read only where they fit, so that a trace of large runs does not fill the memory. */
async function selectSteps({ analytics }: StepDeps, where: Fragment): Promise<EvaluatorStep[]> {
  const rows = await analytics.query(
    sql`
    select id, name, run_type, substringUTF8(error, 1, ${uint(MAX_ERROR)}) as error, length(inputs) + length(outputs) as size
    from runs final
    where ${where}
    order by start_time, dotted_order, id
    limit ${uint(MAX_STEPS)}`,
    SIZED,
  )
  let free = MAX_STEP_CHARACTERS
  const fitting = rows.filter(({ size }) => {
    if (size > free) return false
    free -= size
    return true
  })
  const ids = fitting.map(({ id }) => id)
  const payloads =
    ids.length === 0
      ? []
      : await analytics.query(
          sql`select id, inputs, outputs from runs final where ${where} and id in ${uuids(ids)}`,
          PAYLOAD,
        )
  const byId = new Map(payloads.map((payload) => [payload.id, payload]))
  return rows.map(({ id, name, run_type, error }) => {
    const payload = byId.get(id)
    const read = (json = ''): unknown => (json === '' ? null : JSON.parse(json))
    return {
      name,
      run_type,
      inputs: read(payload?.inputs),
      outputs: read(payload?.outputs),
      error: error || null,
      is_cut: payload === undefined,
    }
  })
}
