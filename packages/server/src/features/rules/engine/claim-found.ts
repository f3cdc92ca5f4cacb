import { type RuleDefinition, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { printedTime } from '../../../storage/analytics/sql.ts'
import type { Database } from '../../../storage/relational/port.ts'
import type { RuleRow } from '../../../storage/relational/tables/rules.ts'
import { toStableId } from '../../model-jobs/index.ts'
import { findDone, noteSampledOut } from '../ledger.ts'
import { insertClaims, type NewClaim, OPEN } from './claims.ts'
import { hashRuns } from './contents.ts'
import type { Found } from './find-written.ts'
import { isSampled, toRate, toSampleValue } from './sampling.ts'

export type ClaimDeps = Pick<Deps, 'relational' | 'analytics' | 'clock'>

interface Given {
  readonly rule: Pick<RuleRow, 'id' | 'tenant_id' | 'version'>
  readonly definition: RuleDefinition
  readonly found: readonly Found[]
  /** Of what was written in the past: the backfill that looks, and whether what was done is done again. */
  readonly past?: { readonly backfillId: string | null; readonly again: boolean }
}

/**
 * Claims what is in the sample of a rule, and notes the others.
 *
 * @param alsoStore  in the transaction of the claims; gets the number of those that are open because of this
 */
export async function claimFound(
  deps: ClaimDeps,
  { rule, definition, found, past }: Given,
  alsoStore: (tx: Database, claimed: number) => Promise<unknown>,
): Promise<void> {
  const ofRule = {
    ruleId: rule.id,
    tenantId: rule.tenant_id,
    ruleVersion: rule.version,
    target: definition.target,
    now: timeOfEpochMs(deps.clock()),
  }
  const valued = toTargets(definition, found).map((one) => ({
    ...one,
    value: toSampleValue(definition, definition.target === 'thread' ? one.targetId : one.run.trace_id),
  }))
  const sampled = valued.filter(({ value }) => isSampled(definition, value))
  await noteSampledOut(
    deps,
    { ...ofRule, samplingRate: toRate(definition), backfillId: past?.backfillId ?? null },
    valued.filter(({ value }) => !isSampled(definition, value)),
  )
  const contents = await readContents(deps, rule.tenant_id, definition, sampled)
  const claims = sampled.flatMap(({ run, targetId, value }): NewClaim[] => {
    const targetVersion = contents(run)
    if (targetVersion === undefined) return [] // It was deleted meanwhile.
    return [
      {
        targetId,
        targetVersion,
        runId: run.id,
        traceId: run.trace_id,
        sessionId: run.session_id,
        threadId: definition.target === 'thread' ? run.thread_id : '',
        startTime: printedTime(run.start_time),
        sampleValue: value,
        readyAt: past === undefined ? toReadyTime(definition, run) : ofRule.now,
      },
    ]
  })
  const isNew = past === undefined || past.again ? () => true : await exceptDone(deps, rule, claims)
  const wanted = claims.filter(isNew)
  await deps.relational.transaction(async (tx) => {
    const count = await insertClaims(tx, { ...ofRule, past }, wanted)
    await alsoStore(tx, count)
  })
}

interface Target {
  readonly run: Found
  readonly targetId: string
}

/** The id of a thread as a target. */
export const toThreadTarget = (sessionId: string, threadId: string): string =>
  toStableId('rule-thread', sessionId, threadId)

/** One for each target: the newest write of it. */
function toTargets({ target }: RuleDefinition, found: readonly Found[]): Target[] {
  if (target === 'run' || target === 'feedback') return found.map((run) => ({ run, targetId: run.id }))
  const byTarget = new Map<string, Target>()
  for (const run of found) {
    const targetId = target === 'trace' ? run.trace_id : toThreadTarget(run.session_id, run.thread_id)
    const before = byTarget.get(targetId)
    const isLater = before === undefined || run.start_time >= before.run.start_time
    const version = Math.max(run.version, before?.run.version ?? 0)
    byTarget.set(targetId, { targetId, run: { ...(isLater ? run : before.run), version } })
  }
  return [...byTarget.values()]
}

/** The contents on which a rule acts once; that of traces and threads is read when they are ready. */
async function readContents(
  deps: ClaimDeps,
  tenantId: string,
  { target }: RuleDefinition,
  sampled: readonly Target[],
): Promise<(run: Found) => string | undefined> {
  if (target === 'trace' || target === 'thread') return () => OPEN
  if (target === 'feedback') return ({ content, id }) => content ?? id
  const ids = sampled.map(({ run }) => run.id)
  const hashes = await hashRuns(deps, tenantId, ids)
  return ({ id }) => hashes.get(id)
}

function toReadyTime({ target, quiet_seconds, idle_minutes }: RuleDefinition, { version }: Found): string {
  const quietMs = target === 'trace' ? quiet_seconds * 1000 : target === 'thread' ? idle_minutes * 60_000 : 0
  return timeOfEpochMs(Math.trunc(version / 1000) + quietMs)
}

/** Claims are forgotten some days after they are decided; the ledger knows more. */
async function exceptDone(
  deps: ClaimDeps,
  rule: Given['rule'],
  claims: readonly NewClaim[],
): Promise<(claim: NewClaim) => boolean> {
  const ids = claims.map(({ runId }) => runId)
  const done = await findDone(deps, rule.tenant_id, rule.id, ids)
  return ({ runId, targetVersion }) => !done.has(`${runId} ${targetVersion}`)
}
