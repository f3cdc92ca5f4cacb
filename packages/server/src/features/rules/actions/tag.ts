import type { RuleAction } from '@touchstone/contract'
import { sql, uuid } from '../../../storage/analytics/sql.ts'
import { columns, list, text } from '../../../storage/rows.ts'
import { toCaller } from '../../model-jobs/index.ts'
import { whereRunIds } from '../../runs/index.ts'
import { type Act, done, failed } from './action.ts'

/** Adds tags to the run; those that it has stay. */
export const addTags: Act<Extract<RuleAction, { kind: 'tag' }>> = async (deps, claim, action) => {
  const { run_id: id, tenant_id: tenantId, trace_id } = claim
  const [run] = await deps.analytics.query(
    sql`select tags, dotted_order from runs final where tenant_id = ${uuid(tenantId)} and ${whereRunIds(tenantId, [id])}`,
    columns({ tags: list(text), dotted_order: text }),
  )
  if (run === undefined) return failed('The run was deleted.')
  const missing = action.tags.filter((tag) => !run.tags.includes(tag))
  if (missing.length === 0) return done('The run has the tags.')
  const change = { id, trace_id, dotted_order: run.dotted_order, tags: [...run.tags, ...missing] }
  const given = { runs: [{ kind: 'patch' as const, main: JSON.stringify(change) }], feedback: [] }
  const { errors = [] } = await deps.recordRuns(toCaller(tenantId), given)
  return errors.length > 0 ? failed(errors.map(({ error }) => error).join(' ')) : done(missing.join(', '))
}
