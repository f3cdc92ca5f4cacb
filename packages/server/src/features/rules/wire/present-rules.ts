import {
  RUN_RULE_DEFAULTS,
  RUN_RULE_FIELDS,
  type RuleDefinition,
  type RuleSpendLimit,
  type RunRule,
} from '@touchstone/contract'
import { desc, inArray, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { annotationQueues } from '../../../storage/relational/tables/annotation-queues.ts'
import { type RuleBackfillRow, type RuleRow, ruleBackfills } from '../../../storage/relational/tables/rules.ts'
import { selectDatasetMap } from '../../datasets/index.ts'
import { selectProjectsById } from '../../projects/index.ts'
import { listBackfills } from '../backfills.ts'
import { readDefinition } from '../present.ts'
import { hideSecrets, type KeptFields, NOTHING_KEPT, readKept } from './kept-fields.ts'
import { type RuleWeek, readWeeks } from './rule-weeks.ts'
import { type NamedEvaluator, showEvaluators } from './show-evaluators.ts'

type PresentDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'>

/** Fields that are made of the rule, so that they are not kept. */
export const COMPUTED_FIELDS: ReadonlySet<string> = new Set(
  RUN_RULE_FIELDS.filter((name) => !Object.hasOwn(RUN_RULE_DEFAULTS, name) && name !== 'spend_limit'),
)

/** Names of what rules name. */
interface Names {
  readonly projects: ReadonlyMap<string, { readonly name: string }>
  readonly datasets: ReadonlyMap<string, { readonly name: string }>
  readonly queues: ReadonlyMap<string, string>
}

interface Options {
  readonly hasProgress: boolean
  /** Whether the caller may read keys and headers. */
  readonly seesSecrets: boolean
}

/** Rules of a workspace as public clients read them. */
export async function presentRunRules(
  deps: PresentDeps,
  tenantId: string,
  rules: readonly RuleRow[],
  { hasProgress, seesSecrets }: Options,
): Promise<RunRule[]> {
  const ids = rules.map(({ id }) => id)
  const definitions = rules.map(({ definition }) => readDefinition(definition))
  const kept = await readKept(deps, ids)
  const withKept = rules.map((rule) => ({ rule, kept: kept.get(rule.id) ?? NOTHING_KEPT }))
  const [evaluators, names, backfills, weeks] = await Promise.all([
    showEvaluators(deps, tenantId, withKept),
    readNames(deps, tenantId, definitions),
    readNewestBackfills(deps, ids),
    readWeeks(deps, tenantId),
  ])
  return Promise.all(
    withKept.map(async ({ rule, kept: { given } }, at) => {
      const definition = definitions[at] ?? readDefinition(rule.definition)
      const backfill = backfills.get(rule.id)
      const progress = hasProgress && backfill ? await readProgress(deps, backfill) : null
      return {
        ...RUN_RULE_DEFAULTS,
        ...(seesSecrets ? given : hideSecrets(given)),
        ...presentRule(rule, definition, names),
        ...presentEvaluators(evaluators.get(rule.id) ?? []),
        ...presentBackfill(backfill, progress),
        ...presentSpend(definition.spend_limit ?? null, given, weeks.get(rule.id)),
        notices: listNotices(rule, definition, given),
      }
    }),
  )
}

function presentRule(rule: RuleRow, definition: RuleDefinition, { projects, datasets, queues }: Names) {
  const session_id = definition.project_ids[0] ?? null
  const dataset_id = definition.dataset_id ?? null
  const [queueId, toDatasetId] = [findQueue(definition), findDataset(definition)]
  const nameOf = (id: string | null, of: ReadonlyMap<string, { readonly name: string }>) =>
    id === null ? null : (of.get(id)?.name ?? null)
  return {
    id: rule.id,
    tenant_id: rule.tenant_id,
    display_name: rule.name,
    description: rule.description,
    sampling_rate: definition.sampling_rate,
    evaluator_version: rule.version,
    created_at: rule.created_at,
    updated_at: rule.modified_at,
    session_id,
    session_name: nameOf(session_id, projects),
    dataset_id,
    dataset_name: nameOf(dataset_id, datasets),
    filter: definition.filter ?? null,
    trace_filter: definition.trace_filter ?? null,
    tree_filter: definition.tree_filter ?? null,
    group_by: definition.target === 'thread' ? 'thread_id' : null,
    is_enabled: rule.is_enabled,
    add_to_annotation_queue_id: queueId,
    add_to_annotation_queue_name: queueId === null ? null : (queues.get(queueId) ?? null),
    add_to_dataset_id: toDatasetId,
    add_to_dataset_name: nameOf(toDatasetId, datasets),
  }
}

const findQueue = ({ actions }: RuleDefinition): string | null =>
  actions.flatMap((action) => (action.kind === 'add_to_queue' ? action.queue_id : []))[0] ?? null

const findDataset = ({ actions }: RuleDefinition): string | null =>
  actions.flatMap((action) => (action.kind === 'add_to_dataset' ? action.dataset_id : []))[0] ?? null

function presentEvaluators(shown: readonly NamedEvaluator[]) {
  const [first] = shown
  const judges = shown.filter(({ type }) => type !== 'code')
  const programs = shown.filter(({ type }) => type === 'code')
  return {
    evaluator_id: first?.action.evaluator_id ?? null,
    evaluator_name: first?.name ?? null,
    evaluator_type: first?.type ?? null,
    evaluators: judges.length === 0 ? null : judges.map(({ shown }) => ({ structured: { ...shown } })),
    code_evaluators: programs.length === 0 ? null : programs.map(({ shown }) => ({ ...shown })),
  }
}

function presentBackfill(backfill: RuleBackfillRow | undefined, progress: number | null) {
  return {
    backfill_id: backfill?.id ?? null,
    backfill_status: backfill?.state ?? null,
    backfill_progress: progress,
    backfill_completed_at: backfill?.finished_at ?? null,
    backfill_error: backfill?.error ?? null,
  }
}

/** The form has weeks only; the text of the client is returned while it is the limit. */
function presentSpend(limit: RuleSpendLimit | null, given: KeptFields['given'], week: RuleWeek | undefined) {
  const text = (given.spend_limit as { readonly limit_usd?: unknown } | null | undefined)?.limit_usd
  const isGiven = typeof text === 'string' && Number(text) === limit?.limit_usd
  const limit_usd = isGiven ? text : String(limit?.limit_usd)
  const spend_limit = limit?.window === 'week' ? { limit_usd, window: 'weekly' } : null
  return {
    spend_limit,
    effective_spend_limit: spend_limit,
    spend_usd: week?.usd ?? 0,
    trace_count: week?.traces ?? 0,
  }
}

function listNotices(rule: RuleRow, definition: RuleDefinition, given: KeptFields['given']): string[] {
  const has = (name: string) => Array.isArray(given[name]) && given[name].length > 0
  return [
    ...(has('webhooks')
      ? ['The webhooks of this rule are stored and not sent: this server does not send them yet.']
      : []),
    ...(has('alerts') ? ['The alerts of this rule are stored and not sent: this server does not send them yet.'] : []),
    ...(rule.blocked_message === null ? [] : [rule.blocked_message]),
    ...(definition.project_ids.length > 1
      ? [`The rule looks at ${definition.project_ids.length} projects; session_id is the first.`]
      : []),
    ...(definition.spend_limit?.window === 'day'
      ? [`The rule may spend $${definition.spend_limit.limit_usd} a day.`]
      : []),
  ]
}

async function readNames(deps: PresentDeps, tenantId: string, definitions: readonly RuleDefinition[]): Promise<Names> {
  const unique = (ids: readonly (string | null | undefined)[]) => [...new Set(ids.flatMap((id) => id ?? []))]
  const queueIds = unique(definitions.map(findQueue))
  const [projects, datasets, queues] = await Promise.all([
    selectProjectsById(deps, tenantId, unique(definitions.map(({ project_ids }) => project_ids[0]))),
    selectDatasetMap(deps, tenantId, unique(definitions.flatMap((one) => [one.dataset_id, findDataset(one)]))),
    queueIds.length === 0
      ? []
      : deps.relational.db
          .select({ id: annotationQueues.id, name: annotationQueues.name })
          .from(annotationQueues)
          .where(sql`${annotationQueues.tenant_id} = ${tenantId} and ${inArray(annotationQueues.id, queueIds)}`),
  ])
  return { projects, datasets, queues: new Map(queues.map(({ id, name }) => [id, name])) }
}

async function readNewestBackfills(
  { relational }: PresentDeps,
  ruleIds: readonly string[],
): Promise<Map<string, RuleBackfillRow>> {
  if (ruleIds.length === 0) return new Map()
  const rows = await relational.db
    .selectDistinctOn([ruleBackfills.rule_id])
    .from(ruleBackfills)
    .where(inArray(ruleBackfills.rule_id, [...ruleIds]))
    .orderBy(ruleBackfills.rule_id, desc(ruleBackfills.created_at), desc(ruleBackfills.id))
  return new Map(rows.map((row) => [row.rule_id, row]))
}

async function readProgress(deps: PresentDeps, { tenant_id, rule_id }: RuleBackfillRow): Promise<number> {
  const { backfills } = await listBackfills(deps, tenant_id, rule_id, { offset: 0, limit: 1 })
  return backfills[0]?.progress ?? 0
}
