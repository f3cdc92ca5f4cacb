import type { Deps } from '../../deps.ts'
import { text as bound, type Fragment, sql, uint, uuid } from '../../storage/analytics/sql.ts'
import { columns, text } from '../../storage/rows.ts'
import type { EvaluatorStep } from './judge.ts'

/** Steps of one row, and characters of their payloads together. */
const MAX_STEPS = 1_000
const MAX_CHARACTERS = 1_000_000

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

const STEP = columns({ name: text, run_type: text, inputs: text, outputs: text, error: text })

async function selectSteps({ analytics }: StepDeps, where: Fragment): Promise<EvaluatorStep[]> {
  const rows = await analytics.query(
    sql`
    select name, run_type, inputs, outputs, error
    from runs final
    where ${where}
    order by start_time, dotted_order, id
    limit ${uint(MAX_STEPS)}`,
    STEP,
  )
  let free = MAX_CHARACTERS
  return rows.map(({ name, run_type, inputs, outputs, error }) => {
    const length = inputs.length + outputs.length
    const isCut = length > free
    if (!isCut) free -= length
    const read = (json: string): unknown => (isCut || json === '' ? null : JSON.parse(json))
    return { name, run_type, inputs: read(inputs), outputs: read(outputs), error: error || null, is_cut: isCut }
  })
}
