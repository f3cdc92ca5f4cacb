import { type EvaluatorRunRule, parseUuid, type RuleDefinition } from '@touchstone/contract'
import { and, eq } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { agentEnvironments, agents } from '../../../storage/relational/tables/projects.ts'
import { type RuleRow, rules } from '../../../storage/relational/tables/rules.ts'
import { selectDatasetMap } from '../../datasets/index.ts'
import { selectProjectsById } from '../../projects/index.ts'
import { readDefinition } from '../present.ts'
import { type KeptFields, readKept } from '../wire/kept-fields.ts'
import { readWeeks } from '../wire/rule-weeks.ts'

type AttachmentDeps = Pick<Deps, 'relational' | 'analytics' | 'clock'>

/** A rule and the evaluators that it runs. */
export interface Attachment {
  readonly rule: RuleRow
  readonly definition: RuleDefinition
  readonly evaluatorIds: readonly string[]
}

interface ResourceFilter {
  readonly resource_id?: readonly string[] | undefined
  readonly agent_id?: string | undefined
  readonly tag_value_id?: readonly string[] | undefined
}

/** Rules of a workspace that run evaluators on given resources. This server has no tags, so a tag selects nothing. */
export async function selectAttachments(
  { relational: { db } }: Pick<Deps, 'relational'>,
  tenantId: string,
  { resource_id, agent_id, tag_value_id }: ResourceFilter = {},
): Promise<Attachment[]> {
  if (tag_value_id?.length) return []
  const rows = await db.select().from(rules).where(eq(rules.tenant_id, tenantId))
  const wanted = resource_id?.map((id) => parseUuid(id) ?? '') ?? []
  const ofAgent = agent_id ? await selectProjectsOfAgent(db, tenantId, agent_id) : undefined
  return rows.map(toAttachment).filter(({ rule: { project_ids, dataset_id }, evaluatorIds }) => {
    const isOn = (id: string) => project_ids.includes(id) || dataset_id === id
    const isOfAgent = ofAgent === undefined || project_ids.some((id) => ofAgent.has(id))
    return evaluatorIds.length > 0 && (wanted.length === 0 || wanted.some(isOn)) && isOfAgent
  })
}

/** Whether a query asks for some resources only. */
export const hasResourceFilter = ({ resource_id, agent_id, tag_value_id }: ResourceFilter): boolean =>
  Boolean(resource_id?.length || agent_id || tag_value_id?.length)

function toAttachment(rule: RuleRow): Attachment {
  const definition = readDefinition(rule.definition)
  const evaluatorIds = definition.actions.flatMap((action) => (action.kind === 'evaluate' ? action.evaluator_id : []))
  return { rule, definition, evaluatorIds: [...new Set(evaluatorIds)] }
}

async function selectProjectsOfAgent(
  db: Deps['relational']['db'],
  tenantId: string,
  agentId: string,
): Promise<ReadonlySet<string>> {
  const found = await db
    .select({ id: agentEnvironments.session_id })
    .from(agentEnvironments)
    .innerJoin(agents, eq(agents.id, agentEnvironments.agent_uuid))
    .where(and(eq(agents.tenant_id, tenantId), eq(agents.agent_id, agentId)))
  return new Set(found.flatMap(({ id }) => id ?? []))
}

/** Rules as members of the evaluators that they run. */
export async function presentAttachments(
  deps: AttachmentDeps,
  tenantId: string,
  attachments: readonly Attachment[],
): Promise<Map<string, EvaluatorRunRule>> {
  if (attachments.length === 0) return new Map()
  const [projects, datasets, kept, weeks] = await Promise.all([
    selectProjectsById(deps, tenantId, [...new Set(attachments.flatMap(({ rule }) => rule.project_ids[0] ?? []))]),
    selectDatasetMap(deps, tenantId, [...new Set(attachments.flatMap(({ rule }) => rule.dataset_id ?? []))]),
    readKept(
      deps,
      attachments.map(({ rule }) => rule.id),
    ),
    readWeeks(deps, tenantId),
  ])
  return new Map(
    attachments.map(({ rule, definition }) => {
      const [sessionId = null] = rule.project_ids
      const week = weeks.get(rule.id) ?? { usd: 0, traces: 0 }
      return [
        rule.id,
        {
          id: rule.id,
          session_id: sessionId,
          session_name: sessionId === null ? null : (projects.get(sessionId)?.name ?? null),
          dataset_id: rule.dataset_id,
          dataset_name: rule.dataset_id === null ? null : (datasets.get(rule.dataset_id)?.name ?? null),
          group_by: definition.target === 'thread' ? 'thread_id' : null,
          ...toCorrections(kept.get(rule.id)?.given ?? {}),
          spend_limit: toWeeklyLimit(definition, week.usd),
          spend_usd: week.usd,
          trace_count: week.traces,
        },
      ]
    }),
  )
}

/** Corrections are kept and not used. */
function toCorrections({
  corrections_dataset_id,
  use_corrections_dataset,
  num_few_shot_examples,
}: KeptFields['given']) {
  return {
    corrections_dataset_id: typeof corrections_dataset_id === 'string' ? corrections_dataset_id : null,
    use_corrections_dataset: use_corrections_dataset === true,
    num_few_shot_examples: typeof num_few_shot_examples === 'number' ? num_few_shot_examples : null,
  }
}

/** The form has weeks only. */
export function toWeeklyLimit({ spend_limit: limit }: RuleDefinition, usd: number): EvaluatorRunRule['spend_limit'] {
  if (limit?.window !== 'week') return null
  const used = limit.limit_usd === 0 ? 100 : (usd / limit.limit_usd) * 100
  return { limit_usd: limit.limit_usd, window: 'weekly', utilization_pct: Math.round(used * 100) / 100 }
}
