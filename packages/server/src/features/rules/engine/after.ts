import { type RuleDefinition, timeOfEpochMs } from '@touchstone/contract'
import { and, eq, inArray, isNull } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { type RuleClaimRow, rules } from '../../../storage/relational/tables/rules.ts'
import { selectOpenClaims } from './claims.ts'

/** How long a rule waits for the rules before it. */
const MAX_WAIT_MS = 10 * 60_000
/** When it asks again. */
const ASK_AGAIN_MS = 2_000
/** Open claims of one run that are read: more rules than a rule can wait for. */
const MAX_CLAIMS = 1_000

export interface Wait {
  readonly untilMs: number
  /** What it waits for. */
  readonly detail: string
}

/** Whether a rule has to wait for other rules to decide about the same run; those that are off or blocked are not waited for. */
export async function waitForRules(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  claim: RuleClaimRow,
  { after_rule_ids: before, target, quiet_seconds, idle_minutes }: RuleDefinition,
): Promise<Wait | undefined> {
  const readyMs = Date.parse(claim.ready_at)
  if (before.length === 0 || clock() - readyMs > MAX_WAIT_MS) return undefined
  const acting = await relational.db
    .select({ id: rules.id, name: rules.name, looked_at: rules.looked_at })
    .from(rules)
    .where(
      and(
        eq(rules.tenant_id, claim.tenant_id),
        inArray(rules.id, before),
        eq(rules.is_enabled, true),
        isNull(rules.blocked_reason),
      ),
    )
  const open = await selectOpenClaims(relational.db, claim.tenant_id, { runIds: [claim.run_id], limit: MAX_CLAIMS })
  const quietMs = target === 'trace' ? quiet_seconds * 1000 : target === 'thread' ? idle_minutes * 60_000 : 0
  // What is acted on later has no write for which the others would look.
  const isLive = claim.backfill_id === null && !claim.is_again
  // A rule that has looked since the run was written has claimed it if it matches.
  const writtenAt = timeOfEpochMs(readyMs - quietMs)
  const isUndecided = ({ id, looked_at }: (typeof acting)[number]) =>
    open.some(({ rule_id }) => rule_id === id) || (isLive && (looked_at === null || looked_at < writtenAt))
  const first = acting.find(isUndecided)
  if (first === undefined) return undefined
  return { untilMs: clock() + ASK_AGAIN_MS, detail: `Waiting: the rule "${first.name}" has not decided yet.` }
}
