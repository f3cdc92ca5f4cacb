import type { Comparison } from '@touchstone/contract'
import { type Fragment, join, sql, time, uuid } from '../../../storage/analytics/sql.ts'
import type { FilterContext } from './context.ts'
import { column, compareScalar, type Scalar } from './scalars.ts'

/** Fields of one feedback record. */
const COLUMNS: Readonly<Record<string, Scalar>> = {
  feedback_key: column('key', 'text', 'never'),
  feedback_score: column('score', 'number', 'null'),
  feedback_value: column('label', 'text', 'empty'),
  feedback_source: column('source_type', 'text', 'never'),
  feedback_comment: column('comment', 'text', 'null'),
  feedback_error: column('error', 'flag', 'never'),
}

/** Whether one feedback record on the run satisfies all of the clauses. */
export function someFeedback(
  clauses: readonly Comparison[],
  { tenantId, feedbackWindow = {} }: FilterContext,
): Fragment {
  const { from, until } = feedbackWindow
  const conditions = clauses.map((clause) => compareScalar(COLUMNS[clause.field]!, clause))
  return sql`id in (
        select run_id from run_feedback final
        where ${join([
          sql`tenant_id = ${uuid(tenantId)}`,
          ...conditions,
          ...(from ? [sql`modified_at >= ${time(from)}`] : []),
          ...(until ? [sql`modified_at < ${time(until)}`] : []),
        ])})`
}
