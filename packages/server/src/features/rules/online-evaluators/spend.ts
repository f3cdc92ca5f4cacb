import {
  ApiError,
  type EvaluatorSpend,
  type EvaluatorSpendGroup,
  type EvaluatorSpendQuery,
  parseUuid,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, eq, inArray } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { all, sql, time, uuid } from '../../../storage/analytics/sql.ts'
import { ruleVersions } from '../../../storage/relational/tables/rules.ts'
import { columns, number, type RowOf, text } from '../../../storage/rows.ts'
import { selectDatasetMap } from '../../datasets/index.ts'
import { selectNewestVersions } from '../../evaluators/index.ts'
import { selectProjectsById } from '../../projects/index.ts'
import { readDefinition } from '../present.ts'
import { type Attachment, hasResourceFilter, selectAttachments, toWeeklyLimit } from './attachments.ts'
import { findEvaluatorIds } from './find-evaluators.ts'

type SpendDeps = Pick<Deps, 'relational' | 'analytics'>

const DAY_MS = 86_400_000
const DAYS = 7
const ENTITIES = ['evaluator_id', 'session_id', 'dataset_id'] as const

/** What evaluators cost in seven days by the ledger, and in the seven days before. @throws ApiError UNPROCESSABLE */
export async function readEvaluatorSpend(
  deps: SpendDeps,
  tenantId: string,
  query: EvaluatorSpendQuery,
): Promise<EvaluatorSpend> {
  const entity = ENTITIES.find((name) => query[name] !== undefined)
  if (query.group_by !== undefined && entity !== undefined) {
    throw new ApiError('UNPROCESSABLE', `Give either group_by or ${entity}, not both.`)
  }
  const startMs = Date.parse(`${query.period_start}T00:00:00Z`)
  const days = Array.from({ length: DAYS }, (_, at) => toDay(startMs + at * DAY_MS))
  const attachments = await selectAttachments(deps, tenantId, query)
  const acted = await readActed(deps, tenantId, attachments, startMs)
  const selected = acted.filter(await toFilter(deps, tenantId, query))
  const groups = toGroups(selected, query.group_by ?? 'evaluator', days)
  return {
    groups: await nameGroups(deps, tenantId, groups, attachments),
    period_start: query.period_start,
    period_end: days.at(-1) ?? query.period_start,
  }
}

const toDay = (ms: number): string => timeOfEpochMs(ms).slice(0, 10)

const ACTED = columns({
  rule_id: text,
  rule_version: number,
  session_id: text,
  day: text,
  position: number,
  usd: number,
  traces: number,
})

/** What one evaluator of a rule did on a day in a project. */
interface Acted extends Omit<RowOf<typeof ACTED>, 'position' | 'rule_version'> {
  readonly evaluator_id: string
  readonly dataset_id: string | null
}

async function readActed(
  deps: SpendDeps,
  tenantId: string,
  attachments: readonly Attachment[],
  startMs: number,
): Promise<Acted[]> {
  const rows = await deps.analytics.query(
    sql`
    select rule_id, rule_version, session_id, toString(toDate(decided_at, 'UTC')) as day, toUInt32(at) as position,
      sum(JSONExtractFloat(outcome, 'cost')) as usd, toUInt32(uniqExact(trace_id)) as traces
    from (
      select rule_id, rule_version, session_id, decided_at, trace_id, JSONExtractArrayRaw(outcomes) as list
      from rule_decisions final
      where ${all([
        sql`tenant_id = ${uuid(tenantId)}`,
        sql`decided_at >= ${time(timeOfEpochMs(startMs - DAYS * DAY_MS))}`,
        sql`decided_at < ${time(timeOfEpochMs(startMs + DAYS * DAY_MS))}`,
      ])}
    )
    array join list as outcome, arrayEnumerate(list) as at
    where JSONExtractString(outcome, 'kind') = 'evaluate'
    group by rule_id, rule_version, session_id, day, position`,
    ACTED,
  )
  const rules = new Map(attachments.map(({ rule }) => [rule.id, rule]))
  const versions = await readEvaluators(deps, tenantId, [...new Set(rows.map(({ rule_id }) => rule_id))])
  return rows.flatMap(({ position, rule_version, ...row }) => {
    const evaluator_id = versions.get(`${row.rule_id} ${rule_version}`)?.[position - 1]
    const rule = rules.get(row.rule_id)
    if (evaluator_id == null || rule === undefined) return []
    return [{ ...row, evaluator_id, dataset_id: rule.dataset_id }]
  })
}

/** Of each version of rules, the evaluator of each action; null for actions of other kinds. */
async function readEvaluators(
  { relational }: SpendDeps,
  tenantId: string,
  ruleIds: readonly string[],
): Promise<Map<string, readonly (string | null)[]>> {
  if (ruleIds.length === 0) return new Map()
  const rows = await relational.db
    .select()
    .from(ruleVersions)
    .where(and(eq(ruleVersions.tenant_id, tenantId), inArray(ruleVersions.rule_id, [...ruleIds])))
  return new Map(
    rows.map(({ rule_id, version, definition }) => [
      `${rule_id} ${version}`,
      readDefinition(definition).actions.map((action) => (action.kind === 'evaluate' ? action.evaluator_id : null)),
    ]),
  )
}

const MOST = { sort_by: 'name', sort_by_desc: false, offset: 0, limit: 10_000 } as const

async function toFilter(
  { relational }: SpendDeps,
  tenantId: string,
  query: EvaluatorSpendQuery,
): Promise<(acted: Acted) => boolean> {
  const { evaluator_id, session_id, dataset_id, feedback_key, type } = query
  const resources =
    hasResourceFilter(query) && query.resource_id?.length ? query.resource_id.map((id) => parseUuid(id)) : undefined
  const isSome = feedback_key !== undefined || type !== undefined
  const some = isSome ? await findEvaluatorIds(relational.db, tenantId, { feedback_key, type }, MOST) : undefined
  const ids = some && new Set(some.ids)
  return (acted) =>
    (evaluator_id === undefined || acted.evaluator_id === evaluator_id) &&
    (session_id === undefined || acted.session_id === session_id) &&
    (dataset_id === undefined || acted.dataset_id === dataset_id) &&
    (resources === undefined || resources.some((id) => id === acted.session_id || id === acted.dataset_id)) &&
    (ids === undefined || ids.has(acted.evaluator_id))
}

type Group = Omit<
  EvaluatorSpendGroup,
  'evaluator_name' | 'run_rule_name' | 'session_name' | 'dataset_name' | 'spend_limit'
>

function toGroups(
  acted: readonly Acted[],
  by: 'evaluator' | 'resource' | 'run_rule',
  days: readonly string[],
): Group[] {
  const keyOf = (one: Acted) =>
    by === 'evaluator' ? one.evaluator_id : by === 'run_rule' ? one.rule_id : (one.dataset_id ?? one.session_id)
  const keys = [...new Set(acted.map(keyOf))]
  const groups = keys
    .map((key) => acted.filter((one) => keyOf(one) === key))
    .map((rows): Group => {
      const within = rows.filter(({ day }) => days.includes(day))
      const before = rows.filter(({ day }) => !days.includes(day))
      const perDay = days.map((date) => {
        const found = within.filter(({ day }) => day === date)
        return { date, spend_usd: sumUsd(found), trace_count: sumTraces(found) }
      })
      const one = (name: 'evaluator_id' | 'rule_id' | 'dataset_id') => findOnly(rows.map((row) => row[name]))
      const dataset_id = one('dataset_id')
      return {
        evaluator_id: one('evaluator_id'),
        run_rule_id: one('rule_id'),
        session_id: dataset_id === null ? findOnly(rows.map((row) => row.session_id)) : null,
        dataset_id,
        total_spend_usd: sumUsd(within),
        total_trace_count: sumTraces(within),
        prev_total_spend_usd: sumUsd(before),
        prev_total_trace_count: sumTraces(before),
        days: perDay,
      }
    })
  return groups.sort((a, b) => b.total_spend_usd - a.total_spend_usd)
}

const findOnly = (values: readonly (string | null)[]): string | null => {
  const [first = null, ...others] = new Set(values)
  return others.length === 0 ? first : null
}

const sumUsd = (rows: readonly Acted[]): number => rows.reduce((sum, { usd }) => sum + usd, 0)

/** A trace that several evaluators of a rule judged counts once. */
function sumTraces(rows: readonly Acted[]): number {
  const most = new Map<string, number>()
  for (const { rule_id, session_id, day, traces } of rows) {
    const key = `${rule_id} ${session_id} ${day}`
    most.set(key, Math.max(most.get(key) ?? 0, traces))
  }
  return [...most.values()].reduce((sum, traces) => sum + traces, 0)
}

async function nameGroups(
  deps: SpendDeps,
  tenantId: string,
  groups: readonly Group[],
  attachments: readonly Attachment[],
): Promise<EvaluatorSpendGroup[]> {
  const unique = (name: 'evaluator_id' | 'session_id' | 'dataset_id') => [
    ...new Set(groups.flatMap((group) => group[name] ?? [])),
  ]
  const [evaluators, projects, datasets] = await Promise.all([
    selectNewestVersions(deps.relational.db, tenantId, unique('evaluator_id')),
    selectProjectsById(deps, tenantId, unique('session_id')),
    selectDatasetMap(deps, tenantId, unique('dataset_id')),
  ])
  const rules = new Map(attachments.map((attachment) => [attachment.rule.id, attachment]))
  return groups.map((group) => {
    const rule = group.run_rule_id === null ? undefined : rules.get(group.run_rule_id)
    const project = group.session_id === null ? undefined : projects.get(group.session_id)
    const dataset = group.dataset_id === null ? undefined : datasets.get(group.dataset_id)
    return {
      ...group,
      evaluator_name: group.evaluator_id === null ? null : (evaluators.get(group.evaluator_id)?.evaluator.name ?? null),
      run_rule_name: rule?.rule.name ?? null,
      session_name: project?.name ?? null,
      dataset_name: dataset?.name ?? null,
      spend_limit: rule === undefined ? null : toWeeklyLimit(rule.definition, group.total_spend_usd),
    }
  })
}
