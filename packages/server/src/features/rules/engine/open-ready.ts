import type { RuleDefinition } from '@touchstone/contract'
import { and, eq, sql as pg } from 'drizzle-orm'
import { all, printedTime, sql, uuid } from '../../../storage/analytics/sql.ts'
import { type RuleClaimRow, ruleClaims } from '../../../storage/relational/tables/rules.ts'
import { columns } from '../../../storage/rows.ts'
import { readScope, whereMatches } from '../conditions.ts'
import { findDone } from '../ledger.ts'
import type { ClaimDeps } from './claim-found.ts'
import { OPEN, whereClaim } from './claims.ts'
import { hashThread, hashTrace, whereThread } from './contents.ts'
import { FOUND } from './find-written.ts'

/**
 * Turns the claim of a trace or thread that has become ready into one of its content.
 *
 * @returns undefined when there is nothing to do: it does not match any more, it was acted on with the same content, or it has
 *   changed meanwhile and waits again
 */
export async function openReady(
  deps: ClaimDeps,
  claim: RuleClaimRow,
  definition: RuleDefinition,
): Promise<RuleClaimRow | undefined> {
  const root = await findRoot(deps, claim, definition)
  const hash = root === undefined ? undefined : await hashTarget(deps, claim)
  const isKnown = hash !== undefined && (await wasDone(deps, claim, root?.id ?? '', hash))
  return deps.relational.transaction(async (tx) => {
    const deleted = await tx
      .delete(ruleClaims)
      .where(and(whereClaim(claim), eq(ruleClaims.state, 'running'), eq(ruleClaims.attempts, claim.attempts)))
      .returning({ id: ruleClaims.target_id })
    if (deleted.length === 0 || root === undefined || hash === undefined || isKnown) return undefined
    const opened: RuleClaimRow = {
      ...claim,
      target_version: hash,
      run_id: root.id,
      trace_id: root.trace_id,
      session_id: root.session_id,
      start_time: printedTime(root.start_time),
    }
    const [inserted] = await tx
      .insert(ruleClaims)
      .values(opened)
      .onConflictDoUpdate({
        target: [ruleClaims.rule_id, ruleClaims.target_id, ruleClaims.target_version],
        set: { ...opened, is_noted: false },
        setWhere: pg`excluded.is_again and ${ruleClaims.state} in ('done', 'failed', 'limited')`,
      })
      .returning()
    return inserted
  })
}

export const isOpen = ({ target_version }: RuleClaimRow): boolean => target_version === OPEN

/** The root of the trace, or of the last turn of the thread, if the rule acts on it. */
async function findRoot(deps: ClaimDeps, claim: RuleClaimRow, definition: RuleDefinition) {
  const { tenant_id: tenantId, trace_id, session_id, thread_id } = claim
  const scope = await readScope(deps, tenantId, definition)
  const own =
    claim.target === 'thread'
      ? whereThread(tenantId, session_id, thread_id)
      : sql`(session_id, start_time, id) in (
          select session_id, start_time, id from trace_runs final
          where tenant_id = ${uuid(tenantId)} and trace_id = ${uuid(trace_id)} and parent_run_id is null)`
  const [root] = await deps.analytics.query(
    sql`
    select id, trace_id, session_id, thread_id, start_time
    from runs final
    where ${all([whereMatches(tenantId, scope), own])}
    order by start_time desc, id desc
    limit 1`,
    columns(FOUND),
  )
  return root
}

function hashTarget(deps: ClaimDeps, claim: RuleClaimRow): Promise<string | undefined> {
  const { tenant_id, session_id: sessionId, thread_id: threadId } = claim
  return claim.target === 'thread'
    ? hashThread(deps, tenant_id, { sessionId, threadId })
    : hashTrace(deps, tenant_id, claim.trace_id)
}

/** Claims are forgotten some days after they are decided; the ledger knows more. */
async function wasDone(deps: ClaimDeps, claim: RuleClaimRow, runId: string, hash: string): Promise<boolean> {
  if (claim.is_again) return false
  return (await findDone(deps, claim.tenant_id, claim.rule_id, [runId])).has(`${runId} ${hash}`)
}
