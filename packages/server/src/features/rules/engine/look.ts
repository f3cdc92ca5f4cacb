import { FilterError, type RuleDefinition, timeOfEpochMs } from '@touchstone/contract'
import { eq } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { type RuleRow, rules } from '../../../storage/relational/tables/rules.ts'
import { readScope } from '../conditions.ts'
import { readDefinition } from '../present.ts'
import { type BlockDeps, blockRule } from './block.ts'
import { claimFound } from './claim-found.ts'
import { findWritten, NOTHING, type Writes } from './find-written.ts'

export type LookDeps = Pick<Deps, 'analytics'> & BlockDeps

/** What a rule has seen lately, by key and version, so that it need not be decided about again. */
export type Seen = Map<string, number>

/**
 * A write is readable later than the time in its version, by as long as it takes: each look goes back this far. Where other
 * servers write too, their clocks may differ as well.
 */
const OVERLAP_MS = { alone: 5_000, several: 30_000 }

/** Writes of one look. */
const AT_ONCE = 1_000

/**
 * Looks for what matches a rule and was written since it last looked, and claims what is in its sample.
 *
 * @returns whether there may be more
 */
export async function lookForRuns(deps: LookDeps, rule: RuleRow, seen: Seen): Promise<boolean> {
  const now = deps.clock()
  const overlap = deps.analytics.changes === undefined ? OVERLAP_MS.several : OVERLAP_MS.alone
  // Versions grow with the clock of the server. After it was set back, new ones are smaller than what was looked at.
  const lookedTo = Math.min(rule.looked_to, now * 1000)
  const from = Math.max(lookedTo - overlap * 1000, Math.min(rule.looks_since, lookedTo))
  for (const [key, version] of seen) if (version <= from) seen.delete(key)
  const definition = readDefinition(rule.definition)
  let writes: Writes
  try {
    writes = await find(deps, rule, definition, from, AT_ONCE + seen.size)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    await blockRule(deps, rule, { reason: 'filter_invalid', message: error.message })
    return false
  }
  const { found, read, lookedTo: end } = writes
  const fresh = found.filter(({ key, version }) => seen.get(key) !== version)
  await claimFound(deps, { rule, definition, found: fresh }, (tx) =>
    tx
      .update(rules)
      .set({ looked_to: Math.trunc(end ?? now * 1000), looked_at: timeOfEpochMs(now) })
      .where(eq(rules.id, rule.id)),
  )
  // Also what does not match: the next look has to read beyond it.
  for (const [key, version] of read) seen.set(key, version)
  return end !== undefined
}

async function find(
  deps: LookDeps,
  { tenant_id: tenantId }: RuleRow,
  definition: RuleDefinition,
  from: number,
  limit: number,
): Promise<Writes> {
  const scope = await readScope(deps, tenantId, definition)
  if (scope.project_ids.length === 0) return NOTHING
  const trigger = definition.feedback ?? null
  return findWritten(deps, { tenantId, scope, trigger, from: Math.trunc(from), limit })
}
