import { type FeedbackKeyUsage, MAX_FEEDBACK_KEYS } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { printedTime, sql, uint, uuid } from '../../storage/analytics/sql.ts'

/** How often each key of the workspace was given, most used first. */
export async function countKeys(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
): Promise<{ keys: FeedbackKeyUsage[]; has_more: boolean }> {
  const rows = await analytics.query<{ key: string; n: string; last: string }>(sql`
    select key, count() as n, max(created_at) as last
    from run_feedback final
    where tenant_id = ${uuid(tenantId)}
    group by key
    order by n desc, key
    limit ${uint(MAX_FEEDBACK_KEYS + 1)}`)
  const keys = rows.slice(0, MAX_FEEDBACK_KEYS).map(({ key, n, last }) => ({
    feedback_key: key,
    feedback_count: Number(n),
    last_given_at: printedTime(last),
  }))
  return { keys, has_more: rows.length > MAX_FEEDBACK_KEYS }
}
