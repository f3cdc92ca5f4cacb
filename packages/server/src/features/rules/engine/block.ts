import { type RuleBlockReason, timeOfEpochMs } from '@touchstone/contract'
import { and, eq, inArray, isNull, lt, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type RuleRow, rules } from '../../../storage/relational/tables/rules.ts'
import { type RuleNoticeDeps, sendRuleNotice, toBlockIncident } from '../notices.ts'
import { NOT_BLOCKED } from '../rules.ts'

export type BlockDeps = Pick<Deps, 'relational'> & RuleNoticeDeps

export interface Block {
  readonly reason: RuleBlockReason
  /** What failed and how to mend it. */
  readonly message: string
}

/** Stops a rule until a user changes something, and sends its notice. The first reason stays. */
export async function blockRule(
  deps: BlockDeps,
  { id, version }: Pick<RuleRow, 'id' | 'version'>,
  { reason, message }: Block,
): Promise<void> {
  const at = timeOfEpochMs(deps.clock())
  await deps.relational.transaction(async (tx) => {
    const [blocked] = await tx
      .update(rules)
      .set({ blocked_reason: reason, blocked_message: message.slice(0, 2000), blocked_at: at })
      .where(and(eq(rules.id, id), eq(rules.version, version), isNull(rules.blocked_reason)))
      .returning()
    if (blocked === undefined) return
    await sendRuleNotice(deps, tx, blocked, {
      // A rule that tries again by itself and is blocked again sends one notice a day.
      key: `${toBlockIncident(id)}:${version}:${reason}:${at.slice(0, 10)}`,
      incident: toBlockIncident(id),
      severity: 'critical',
      title: `The rule "${blocked.name}" is blocked`,
      text: `${message} What matches waits until the rule is resumed.`,
      body: { state: 'blocked', reason, message },
    })
  })
}

/** Decisions in a row that fail before a rule is blocked. */
const MAX_FAILURES = 20

/** After a success of rules, failures are counted again. */
export async function forgetFailures(db: Database, ruleIds: readonly string[]): Promise<void> {
  await db
    .update(rules)
    .set({ failures: 0 })
    .where(and(inArray(rules.id, [...ruleIds]), sql`${rules.failures} > 0`))
}

/** Counts a failure, and blocks a rule that fails again and again. */
export async function countFailure(
  deps: BlockDeps,
  rule: Pick<RuleRow, 'id' | 'version'>,
  failure: string,
): Promise<void> {
  const { db } = deps.relational
  const [counted] = await db
    .update(rules)
    .set({ failures: sql`${rules.failures} + 1` })
    .where(eq(rules.id, rule.id))
    .returning({ failures: rules.failures })
  if ((counted?.failures ?? 0) < MAX_FAILURES) return
  const message = `${MAX_FAILURES} runs in a row failed. The last one: ${failure} Mend the cause, then resume the rule.`
  await blockRule(deps, rule, { reason: 'too_many_failures', message })
}

/** Reasons that end outside of the rule: a new key, credit, the next month. */
const MAY_PASS: readonly RuleBlockReason[] = [
  'provider_key_refused',
  'provider_missing',
  'model_unknown',
  'spending_limit',
]
const TRY_AGAIN_MS = 10 * 60_000

/** Lets blocked rules try again from time to time where the reason may have passed. */
export async function unblockForTry({ relational, clock }: Pick<Deps, 'relational' | 'clock'>): Promise<void> {
  await relational.db
    .update(rules)
    .set(NOT_BLOCKED)
    .where(
      and(inArray(rules.blocked_reason, [...MAY_PASS]), lt(rules.blocked_at, timeOfEpochMs(clock() - TRY_AGAIN_MS))),
    )
}
