import { FilterError, timeOfEpochMs } from '@touchstone/contract'
import { toFraction } from '@touchstone/formats/sampling'
import { eq } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { printedTime, sql, uint, uuid } from '../../../storage/analytics/sql.ts'
import { type RuleRow, rules } from '../../../storage/relational/tables/rules.ts'
import { columns, count, text } from '../../../storage/rows.ts'
import { whereRunIds } from '../../runs/index.ts'
import { whereMatches } from '../conditions.ts'
import { noteSampledOut } from '../ledger.ts'
import { readDefinition } from '../present.ts'
import { blockRule } from './block.ts'
import { insertClaims, type NewClaim } from './claims.ts'

export type LookDeps = Pick<Deps, 'relational' | 'analytics' | 'clock'>

/** Runs that a rule has seen lately, by id and version, so that it need not hash them again. */
export type Seen = Map<string, number>

/**
 * A write is readable later than the time in its version, by as long as it takes: each look goes back this far. Where other
 * servers write too, their clocks may differ as well.
 */
const OVERLAP_MS = { alone: 5_000, several: 30_000 }

/** Runs of one look. */
const AT_ONCE = 1_000

const FOUND = columns({ id: text, trace_id: text, session_id: text, start_time: text, version: count })

/**
 * Looks for runs that match a rule and were written since it last looked, and claims those in its sample.
 *
 * @returns whether there may be more
 */
export async function lookForRuns(deps: LookDeps, rule: RuleRow, seen: Seen): Promise<boolean> {
  const now = deps.clock()
  const overlap = deps.analytics.changes === undefined ? OVERLAP_MS.several : OVERLAP_MS.alone
  // Versions grow with the clock of the server. After it was set back, new ones are smaller than what was looked at.
  const from = (Math.min(rule.looked_to, now * 1000) / 1000 - overlap) * 1000
  for (const [key, version] of seen) if (version <= from) seen.delete(key)
  const limit = AT_ONCE + seen.size
  let found: readonly Found[]
  try {
    found = await findWritten(deps, rule, from, limit)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    await blockRule(deps, rule, { reason: 'filter_invalid', message: error.message })
    return false
  }
  const fresh = found.filter(({ id, version }) => seen.get(id) !== version)
  const hasMore = found.length === limit
  await decide(deps, rule, fresh, hasMore ? (found.at(-1)?.version ?? now * 1000) : now * 1000)
  for (const { id, version } of fresh) seen.set(id, version)
  return hasMore
}

interface Found {
  readonly id: string
  readonly trace_id: string
  readonly session_id: string
  readonly start_time: string
  readonly version: number
}

function findWritten({ analytics }: LookDeps, rule: RuleRow, from: number, limit: number): Promise<Found[]> {
  const definition = readDefinition(rule.definition)
  return analytics.query(
    sql`
    select id, trace_id, session_id, start_time, version
    from runs final
    where version > ${uint(Math.trunc(from))} and ${whereMatches(rule.tenant_id, definition)}
    order by version, id
    limit ${uint(limit)}`,
    FOUND,
  )
}

/** Claims the runs in the sample, and notes the others. */
async function decide(deps: LookDeps, rule: RuleRow, found: readonly Found[], lookedTo: number): Promise<void> {
  const { sampling_rate: rate, sampling_seed: seed } = readDefinition(rule.definition)
  const values = found.map((run) => ({ run, value: toFraction(Buffer.from(seed + run.trace_id)) }))
  const isSampled = (value: number) => rate >= 1 || value < rate
  const sampled = values.filter(({ value }) => isSampled(value))
  const hashes = await hashContents(
    deps,
    rule.tenant_id,
    sampled.map(({ run }) => run.id),
  )
  const claims = sampled.flatMap(({ run, value }): NewClaim[] => {
    const targetVersion = hashes.get(run.id)
    if (targetVersion === undefined) return [] // It was deleted meanwhile.
    const { id: runId, trace_id: traceId, session_id: sessionId, start_time } = run
    return [{ runId, targetVersion, traceId, sessionId, startTime: printedTime(start_time), sampleValue: value }]
  })
  const now = timeOfEpochMs(deps.clock())
  const ofRule = { ruleId: rule.id, tenantId: rule.tenant_id, ruleVersion: rule.version, now }
  await noteSampledOut(
    deps,
    { ...ofRule, samplingRate: rate },
    values.filter(({ value }) => !isSampled(value)),
  )
  await deps.relational.transaction(async (tx) => {
    await insertClaims(tx, ofRule, claims)
    await tx
      .update(rules)
      .set({ looked_to: Math.trunc(lookedTo), looked_at: now })
      .where(eq(rules.id, rule.id))
  })
}

/** Hashes of what evaluators see. */
async function hashContents(
  { analytics }: LookDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await analytics.query(
    sql`
    select id, lower(hex(sipHash128(inputs, outputs, error))) as hash
    from runs final
    where tenant_id = ${uuid(tenantId)} and ${whereRunIds(tenantId, ids)}`,
    columns({ id: text, hash: text }),
  )
  return new Map(rows.map(({ id, hash }) => [id, hash]))
}
