import type { RuleTrigger } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import {
  all,
  text as bound,
  type Fragment,
  float,
  literal,
  sql,
  uint,
  uuid,
  uuids,
} from '../../../storage/analytics/sql.ts'
import { columns, count, text } from '../../../storage/rows.ts'
import { type Scope, whereMatches } from '../conditions.ts'

/** What a rule has found, with the run that feedback is about. Times are in the form of the column. */
export interface Found {
  readonly id: string
  readonly trace_id: string
  readonly session_id: string
  /** '' without a thread. */
  readonly thread_id: string
  readonly start_time: string
  /** Of the newest write; microseconds. */
  readonly version: number
  /** What was written: the run, the trace or the feedback. */
  readonly key: string
  /** Of feedback: its content. */
  readonly content?: string
}

/** What was read, by key and version, also what does not match. */
export type Read = ReadonlyMap<string, number>

export interface Writes {
  readonly found: readonly Found[]
  readonly read: Read
  /** Up to this version everything was found; undefined when there may be more. */
  readonly lookedTo: number | undefined
}

export const NOTHING: Writes = { found: [], read: new Map(), lookedTo: undefined }

type FindDeps = Pick<Deps, 'analytics'>

interface Asked {
  readonly tenantId: string
  readonly scope: Scope
  readonly trigger: RuleTrigger | null
  /** Exclusive; microseconds. */
  readonly from: number
  readonly limit: number
}

/**
 * What matches a rule and was written since a version, oldest write first.
 *
 * @throws FilterError
 */
export function findWritten(deps: FindDeps, asked: Asked): Promise<Writes> {
  switch (asked.scope.target) {
    case 'run':
    case 'thread':
      return findRuns(deps, asked)
    case 'trace':
      return findTraces(deps, asked)
    case 'feedback':
      return findFeedback(deps, asked)
  }
}

export const FOUND = { id: text, trace_id: text, session_id: text, thread_id: text, start_time: text }
const WRITTEN = columns({ ...FOUND, version: count })

/** Runs; of threads their turns. */
async function findRuns({ analytics }: FindDeps, { tenantId, scope, from, limit }: Asked): Promise<Writes> {
  const rows = await analytics.query(
    sql`
    select id, trace_id, session_id, thread_id, start_time, version
    from runs final
    where version > ${uint(from)} and ${whereMatches(tenantId, scope)}
    order by version, id
    limit ${uint(limit)}`,
    WRITTEN,
  )
  const found = rows.map((row): Found => ({ ...row, key: row.id }))
  const read = new Map(found.map(({ key, version }) => [key, version]))
  return { found, read, lookedTo: found.length === limit ? found.at(-1)?.version : undefined }
}

const CHANGED = columns({ trace_id: text, newest: count })

/** Traces of which any run was written; their roots match. */
async function findTraces({ analytics }: FindDeps, { tenantId, scope, from, limit }: Asked): Promise<Writes> {
  const anyRun = whereSeenRuns(tenantId, scope)
  const changed = await analytics.query(
    sql`
    select trace_id, max(version) as newest
    from runs
    where version > ${uint(from)} and ${anyRun}
    group by trace_id
    order by newest, trace_id
    limit ${uint(limit)}`,
    CHANGED,
  )
  const lookedTo = changed.length === limit ? changed.at(-1)?.newest : undefined
  const newest = new Map(changed.map(({ trace_id, newest }) => [trace_id, newest]))
  if (changed.length === 0) return { found: [], read: newest, lookedTo }
  const roots = await selectMatching(
    { analytics },
    tenantId,
    scope,
    sql`(session_id, start_time, id) in (
        select session_id, start_time, id from trace_runs final
        where tenant_id = ${uuid(tenantId)} and trace_id in ${uuids(changed.map(({ trace_id }) => trace_id))}
          and parent_run_id is null)`,
  )
  const found = roots.map((root): Found => {
    const version = newest.get(root.trace_id) ?? root.version
    return { ...root, version, key: root.trace_id }
  })
  return { found, read: newest, lookedTo }
}

/** All runs of the projects, also those that have not ended. */
function whereSeenRuns(tenantId: string, { project_ids }: Scope): Fragment {
  return sql`tenant_id = ${uuid(tenantId)} and session_id in ${uuids(project_ids)}`
}

function selectMatching({ analytics }: FindDeps, tenantId: string, scope: Scope, where: Fragment) {
  return analytics.query(
    sql`
    select id, trace_id, session_id, thread_id, start_time, version
    from runs final
    where ${all([whereMatches(tenantId, scope), where])}`,
    WRITTEN,
  )
}

const GIVEN = columns({ feedback_id: text, run_id: text, content: text, version: count })

/** Runs of which feedback was written that the trigger means, and runs that were written after their feedback. */
async function findFeedback(deps: FindDeps, asked: Asked): Promise<Writes> {
  const { tenantId, scope, trigger, from, limit } = asked
  if (trigger === null) return NOTHING
  const written = await findRuns(deps, asked)
  const versions = new Map(written.found.map(({ id, version }) => [id, version]))
  const select = (where: Fragment) =>
    deps.analytics.query(
      sql`
      select id as feedback_id, run_id, lower(hex(sipHash64(score, value, label))) as content, version
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and ${whereTriggers(trigger)} and ${where}
      order by version, id
      limit ${uint(limit)}`,
      GIVEN,
    )
  const given = await select(sql`version > ${uint(from)}`)
  const before = versions.size === 0 ? [] : await select(sql`run_id in ${uuids([...versions.keys()])}`)
  const all = new Map([...before, ...given].map((one) => [one.feedback_id, one]))
  const runs = await selectMatching(deps, tenantId, scope, whereIds(tenantId, [...all.values()]))
  const byId = new Map(runs.map((run) => [run.id, run]))
  const found = [...all.values()].flatMap(({ feedback_id: key, run_id, content, version }): Found[] => {
    const run = byId.get(run_id)
    // What was written last makes it ready.
    const newest = Math.max(version, versions.get(run_id) ?? 0)
    return run === undefined ? [] : [{ ...run, version: newest, key, content: `${key} ${content}` }]
  })
  const ends = [written.lookedTo, given.length === limit ? given.at(-1)?.version : undefined]
  const lookedTo = ends.reduce((a, b) => (a === undefined ? b : b === undefined ? a : Math.min(a, b)), undefined)
  const read = new Map([
    ...written.read,
    ...given.map(({ feedback_id, version }) => [feedback_id, version] as const),
    ...found.map(({ key, version }) => [key, version] as const),
  ])
  return { found, read, lookedTo }
}

const whereIds = (tenantId: string, given: readonly { readonly run_id: string }[]) =>
  sql`(session_id, start_time, id) in (
        select session_id, start_time, id from run_keys final where tenant_id = ${uuid(tenantId)} and id in ${uuids([...new Set(given.map(({ run_id }) => run_id))])})`

const COMPARISONS = { lt: literal('<'), lte: literal('<='), eq: literal('='), gte: literal('>='), gt: literal('>') }

/** Feedback that a rule acts on. That of rules is none, so that rules do not set off each other. */
export function whereTriggers({ key, operator, score }: RuleTrigger): Fragment {
  const compared = operator == null || score == null ? [] : [sql`score ${COMPARISONS[operator]} ${float(score)}`]
  return all([
    sql`key = ${bound(key)}`,
    sql`JSONExtractString(feedback_source, 'metadata', 'rule_id') = ''`,
    ...compared,
  ])
}

/** Runs that have such feedback. */
export const whereHasFeedback = (tenantId: string, trigger: RuleTrigger): Fragment =>
  sql`id in (select run_id from run_feedback final where tenant_id = ${uuid(tenantId)} and ${whereTriggers(trigger)})`
