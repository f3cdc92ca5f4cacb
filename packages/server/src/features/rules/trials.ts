import {
  ApiError,
  type RuleAction,
  type RuleDefinition,
  type RuleDryRun,
  type RuleForecast,
  type RuleTry,
  type RuleTryResult,
} from '@touchstone/contract'
import { all, printedTime, sql, uint, uuid } from '../../storage/analytics/sql.ts'
import { COUNT_ROW, columns, text } from '../../storage/rows.ts'
import { estimateWith, judgeWith, loadEvaluator, readRunRows } from '../evaluators/index.ts'
import { whereRunIds } from '../runs/index.ts'
import { printScores } from './actions/evaluate.ts'
import type { RuleServices } from './actions/index.ts'
import { countMatches } from './backfills.ts'
import { readScope, type Scope, whereMatches, withoutFilters } from './conditions.ts'
import { whereWindow } from './engine/backfills.ts'
import { toThreadTarget } from './engine/claim-found.ts'
import { FOUND } from './engine/find-written.ts'
import { isSampled, toSampleValue } from './engine/sampling.ts'
import { readRow } from './read-row.ts'
import { assertDefinition, assertSource } from './rules.ts'
import { toTimeWindow } from './time-window.ts'

/** Matching runs whose sample is counted, newest first. */
const SAMPLED_OF = 10_000
const SAMPLES = 5
const WEEK_MS = 7 * 86_400_000

/** What a definition would do with the runs of a window, by the conditions of live rules. @throws ApiError INVALID_REQUEST */
export async function forecast(
  deps: RuleServices,
  tenantId: string,
  { definition, ...given }: RuleDryRun,
): Promise<RuleForecast> {
  // What actions name may be deleted: the counts of a rule that is blocked by that are the same.
  await assertSource(deps, tenantId, definition)
  const { from, to } = toTimeWindow(given, deps.clock())
  const scope = await readScope(deps, tenantId, definition)
  const [seen, rows, matched] = await Promise.all([
    countTargets(deps, tenantId, withoutFilters(scope), from, to),
    selectMatches(deps, tenantId, scope, { from, to, limit: SAMPLED_OF }),
    countTargets(deps, tenantId, scope, from, to),
  ])
  const targets = toTargets(definition, rows)
  const sample = targets.filter((row) => isSampled(definition, toSampleValue(definition, row.sampleId)))
  const isDerived = matched > targets.length
  const sampled = isDerived ? Math.round((matched * sample.length) / Math.max(1, targets.length)) : sample.length
  const samples = sample.slice(0, SAMPLES)
  return {
    from,
    to,
    seen,
    matched,
    sampled,
    is_sampled_derived: isDerived,
    samples: samples.map(presentMatch),
    estimate: await estimate(deps, tenantId, definition, { samples, sampled, from, to }),
  }
}

/** Threads count once, however many turns they have. */
async function countTargets(
  deps: RuleServices,
  tenantId: string,
  scope: Scope,
  from: string,
  to: string,
): Promise<number> {
  if (scope.target !== 'thread') return countMatches(deps, tenantId, scope, from, to)
  const [row] = await deps.analytics.query(
    sql`select uniqExact(session_id, thread_id) as n from runs final
      where ${all([whereMatches(tenantId, scope), whereWindow(from, to)])}`,
    COUNT_ROW,
  )
  return row?.n ?? 0
}

const MATCH = columns({ ...FOUND, name: text })
type Match = ReturnType<typeof MATCH>

async function selectMatches(
  { analytics }: RuleServices,
  tenantId: string,
  scope: Scope,
  { from, to, limit }: { readonly from: string; readonly to: string; readonly limit: number },
): Promise<Match[]> {
  return analytics.query(
    sql`
    select id, trace_id, session_id, thread_id, start_time, name
    from runs final
    where ${all([whereMatches(tenantId, scope), whereWindow(from, to)])}
    order by start_time desc, id desc
    limit ${uint(limit)}`,
    MATCH,
  )
}

/** Of a thread its last turn. */
function toTargets({ target }: RuleDefinition, rows: readonly Match[]) {
  if (target !== 'thread') return rows.map((row) => ({ ...row, sampleId: row.trace_id }))
  const threads = new Map<string, Match & { readonly sampleId: string }>()
  for (const row of rows) {
    const sampleId = toThreadTarget(row.session_id, row.thread_id)
    if (!threads.has(sampleId)) threads.set(sampleId, { ...row, sampleId })
  }
  return [...threads.values()]
}

const presentMatch = ({ id: run_id, trace_id, session_id, name, start_time }: Match) => ({
  run_id,
  trace_id,
  session_id,
  name,
  start_time: printedTime(start_time),
})

interface Estimated {
  readonly samples: readonly Match[]
  readonly sampled: number
  readonly from: string
  readonly to: string
}

/** From the average of the samples. */
async function estimate(
  deps: RuleServices,
  tenantId: string,
  definition: RuleDefinition,
  { samples, sampled, from, to }: Estimated,
): Promise<RuleForecast['estimate']> {
  const readRun = (id: string) => readOne(deps, tenantId, id)
  const rows = []
  for (const run of samples) {
    const row = await readRow(deps, toClaim(tenantId, definition, run), readRun)
    if (row !== undefined) rows.push(row)
  }
  const sum = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost: 0 as number | null }
  for (const action of definition.actions) {
    const evaluator = action.kind === 'evaluate' ? await load(deps, tenantId, action) : undefined
    if (evaluator === undefined) continue
    const one = await estimateWith(deps, tenantId, evaluator, rows)
    if (one === undefined) continue
    sum.calls += sampled
    sum.prompt_tokens += one.prompt_tokens * sampled
    sum.completion_tokens += one.completion_tokens * sampled
    sum.cost = sum.cost === null || one.cost === null ? null : sum.cost + one.cost * sampled
  }
  const weeks = (Date.parse(to) - Date.parse(from)) / WEEK_MS
  return { ...sum, cost_per_week: sum.cost === null ? null : sum.cost / weeks }
}

async function readOne(deps: RuleServices, tenantId: string, id: string) {
  return (await readRunRows(deps, tenantId, [id])).get(id)
}

const load = (
  deps: RuleServices,
  tenantId: string,
  { evaluator_id, version = null }: Extract<RuleAction, { kind: 'evaluate' }>,
) => loadEvaluator(deps, tenantId, { evaluator_id, version })

const toClaim = (tenantId: string, { target }: RuleDefinition, run: Match) => ({
  tenant_id: tenantId,
  run_id: run.id,
  target,
  trace_id: run.trace_id,
  session_id: run.session_id,
  thread_id: run.thread_id,
})

/** Runs the evaluators of a definition on some runs; nothing is stored. @throws ApiError INVALID_REQUEST, NOT_FOUND */
export async function tryRule(
  deps: RuleServices,
  tenantId: string,
  { definition, run_ids, count, ...given }: RuleTry,
  signal: AbortSignal,
): Promise<RuleTryResult> {
  await assertDefinition(deps, tenantId, definition)
  const runs =
    run_ids == null
      ? await findSample(deps, tenantId, definition, { ...toTimeWindow(given, deps.clock()), count })
      : await selectGiven(deps, tenantId, run_ids)
  const tried = await Promise.all(runs.map((run) => tryOn(deps, tenantId, { definition, run, signal })))
  const costs = tried.flatMap(({ outcomes }) => outcomes.flatMap(({ cost }) => cost ?? []))
  return { runs: tried, cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0) }
}

async function findSample(
  deps: RuleServices,
  tenantId: string,
  definition: RuleDefinition,
  { from, to, count }: { readonly from: string; readonly to: string; readonly count: number },
): Promise<Match[]> {
  const scope = await readScope(deps, tenantId, definition)
  const rows = await selectMatches(deps, tenantId, scope, { from, to, limit: SAMPLED_OF })
  return toTargets(definition, rows)
    .filter((row) => isSampled(definition, toSampleValue(definition, row.sampleId)))
    .slice(0, count)
}

async function selectGiven({ analytics }: RuleServices, tenantId: string, ids: readonly string[]): Promise<Match[]> {
  const rows = await analytics.query(
    sql`select id, trace_id, session_id, thread_id, start_time, name from runs final where ${all([
      sql`tenant_id = ${uuid(tenantId)}`,
      whereRunIds(tenantId, ids),
    ])}`,
    MATCH,
  )
  const missing = ids.find((id) => !rows.some((row) => row.id === id))
  if (missing !== undefined) throw new ApiError('NOT_FOUND', `Run ${missing} not found`)
  return rows
}

interface Tried {
  readonly definition: RuleDefinition
  readonly run: Match
  readonly signal: AbortSignal
}

async function tryOn(
  deps: RuleServices,
  tenantId: string,
  { definition, run, signal }: Tried,
): Promise<RuleTryResult['runs'][number]> {
  const row = await readRow(deps, toClaim(tenantId, definition, run), (id) => readOne(deps, tenantId, id))
  const outcomes: RuleTryResult['runs'][number]['outcomes'] = []
  for (const action of definition.actions) {
    if (action.kind !== 'evaluate') {
      outcomes.push({
        kind: action.kind,
        state: 'done',
        detail: WOULD[action.kind](action as never),
        cost: null,
        scores: [],
      })
      continue
    }
    const evaluator = await load(deps, tenantId, action)
    if (evaluator === undefined || row === undefined) continue
    const { scores, problem, cost } = await judgeWith(deps, evaluator, { tenantId, row, signal })
    const detail = problem === null ? printScores(scores) : problem.message
    const shown = scores.map(({ key, score, value, comment }) => ({ key, score, value, comment }))
    outcomes.push({ kind: 'evaluate', state: problem === null ? 'done' : 'failed', detail, cost, scores: shown })
  }
  return { ...presentMatch(run), outcomes }
}

type Would = {
  [Kind in Exclude<RuleAction['kind'], 'evaluate'>]: (action: Extract<RuleAction, { kind: Kind }>) => string
}

const WOULD: Would = {
  feedback: ({ key }) => `It would give the feedback "${key}".`,
  tag: ({ tags }) => `It would add the tags ${tags.join(', ')}.`,
  add_to_dataset: () => 'It would add an example to the dataset.',
  add_to_queue: () => 'It would add the run to the queue.',
  notify: ({ channel_ids }) => `It would send a notice through ${channel_ids.length} channels.`,
}
