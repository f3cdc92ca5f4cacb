import type { Deps } from '../../deps.ts'
import { AnswerCache } from '../../storage/analytics/answer-cache.ts'
import type { Changes } from '../../storage/analytics/changes.ts'
import { sql, uuid } from '../../storage/analytics/sql.ts'

const remembered = new WeakMap<Changes, AnswerCache<boolean>>()

/**
 * Whether a run of a workspace may have an attachment. Few workspaces have any, and the others need not look at each
 * read. Where the store does not tell what changed, there may always be one.
 */
export async function mayHaveAttachments({ analytics }: Pick<Deps, 'analytics'>, tenantId: string): Promise<boolean> {
  const { changes } = analytics
  if (changes === undefined) return true
  const known = remembered.get(changes) ?? new AnswerCache<boolean>(changes)
  remembered.set(changes, known)
  return known.get(tenantId, async () => {
    const rows = await analytics.query(sql`
      select 1 from run_attachments final where tenant_id = ${uuid(tenantId)} limit 1`)
    return { value: rows.length > 0, tables: ['run_attachments'] }
  })
}
