import { type RuleAction, RuleDefinition, type RunRuleCreate, type RunRuleUpdate } from '@touchstone/contract'
import type { Caller } from '../../../http/serve.ts'
import type { RuleRow } from '../../../storage/relational/tables/rules.ts'
import { createBackfill } from '../backfills.ts'
import { readDefinition } from '../present.ts'
import { createRule, getRule, updateRule } from '../rules.ts'
import { toTimeWindow } from '../time-window.ts'
import { type KeptFields, NOTHING_KEPT, readKept, writeKept } from './kept-fields.ts'
import { COMPUTED_FIELDS } from './present-rules.ts'
import { parseOwn, unprocessable } from './problems.ts'
import { removeMade, type ShownEvaluator, saveEvaluators, type WireDeps } from './save-evaluators.ts'
import { showEvaluators } from './show-evaluators.ts'

/**
 * Creates a rule of ours from one of a public client.
 *
 * @returns its id
 * @throws ApiError UNPROCESSABLE, CONFLICT for a name that is taken
 */
export async function createRunRule(deps: WireDeps, caller: Caller, body: RunRuleCreate): Promise<string> {
  assertUnderstood(body)
  if ((body.session_id == null) === (body.dataset_id == null)) {
    throw unprocessable(['session_id'], 'Give either a project (session_id) or a dataset (dataset_id).')
  }
  const { backfill_from: from } = body
  if (from != null) toTimeWindow({ from }, deps.clock())
  const saved = await saveEvaluators(deps, caller, { name: body.display_name, given: body, before: [] })
  try {
    const definition = toDefinition(undefined, body, saved.actions)
    const rule = { name: body.display_name, description: body.description, is_enabled: body.is_enabled, definition }
    const { id } = await createRule(deps, caller, rule)
    await writeKept(deps, { id, tenantId: caller.tenantId }, { given: pickKept(body), evaluators: saved.kept })
    if (from != null) await createBackfill(deps, caller, id, { from })
    return id
  } catch (error) {
    await removeMade(deps, caller, saved.made)
    throw error
  }
}

/** Changes a rule; fields that are absent stay. @throws ApiError NOT_FOUND, UNPROCESSABLE, CONFLICT */
export async function updateRunRule(deps: WireDeps, caller: Caller, id: string, body: RunRuleUpdate): Promise<void> {
  assertUnderstood(body)
  const { tenantId } = caller
  const rule = await getRule(deps.relational.db, tenantId, id)
  const kept = (await readKept(deps, [id])).get(id) ?? NOTHING_KEPT
  const before = await readShown(deps, rule, kept)
  const isBackfilled = body.backfill_from != null && body.backfill_from !== kept.given.backfill_from
  if (isBackfilled) toTimeWindow({ from: body.backfill_from }, deps.clock())
  const name = body.display_name ?? rule.name
  const saved = await saveEvaluators(deps, caller, { name, given: body, before })
  try {
    const definition = toDefinition(readDefinition(rule.definition), body, saved.actions)
    await updateRule(deps, caller, id, { name, description: body.description, is_enabled: body.is_enabled, definition })
  } catch (error) {
    await removeMade(deps, caller, saved.made)
    throw error
  }
  const given = { ...kept.given, ...pickKept(body) }
  await writeKept(deps, { id, tenantId }, { given, evaluators: saved.kept })
  if (isBackfilled) await createBackfill(deps, caller, id, { from: body.backfill_from ?? '' })
}

async function readShown(deps: WireDeps, rule: RuleRow, kept: KeptFields): Promise<readonly ShownEvaluator[]> {
  const shown = await showEvaluators(deps, rule.tenant_id, [{ rule, kept }])
  return shown.get(rule.id) ?? []
}

/** Conditions that would be lost are refused: the rule would act on more than was asked for. */
function assertUnderstood(body: RunRuleUpdate): void {
  if (body.thread_filter != null)
    throw unprocessable(['thread_filter'], 'This server has no filters on threads. Use filter, which is about a turn.')
  if (body.group_by === 'trajectory_id') {
    throw unprocessable(['group_by'], 'This server groups by thread_id, not by trajectory_id.')
  }
}

const pickKept = (body: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== undefined && !COMPUTED_FIELDS.has(name)))

/** The definition before, with the fields of the body. */
function toDefinition(
  before: RuleDefinition | undefined,
  body: RunRuleUpdate,
  evaluate: readonly RuleAction[],
): RuleDefinition {
  const { filter, trace_filter, tree_filter, sampling_rate } = body
  const changed = {
    ...before,
    ...toSource(before, body),
    target: toTarget(before, body),
    ...withoutAbsent({ filter, trace_filter, tree_filter, sampling_rate }),
    actions: toActions(before?.actions ?? [], body, evaluate),
    ...(body.spend_limit !== undefined && { spend_limit: toSpendLimit(before, body.spend_limit) }),
  }
  return parseOwn(RuleDefinition, before === undefined ? changed : likeBefore(changed, before), [])
}

const OPTIONAL = ['filter', 'trace_filter', 'tree_filter', 'dataset_id', 'spend_limit'] as const

/** Null and absent mean the same, and are no reason for a version. */
function likeBefore(changed: Readonly<Record<string, unknown>>, before: RuleDefinition): Record<string, unknown> {
  const same = OPTIONAL.filter((name) => changed[name] == null && before[name] == null)
  const others = Object.entries(changed).filter(([name]) => !same.some((one) => one === name))
  return Object.fromEntries([...others, ...same.filter((name) => name in before).map((name) => [name, before[name]])])
}

const withoutAbsent = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** A rule on several projects keeps them while the first one is named. */
function toSource(before: RuleDefinition | undefined, { session_id, dataset_id }: RunRuleUpdate) {
  if (session_id != null && dataset_id != null)
    throw unprocessable(['dataset_id'], 'Give either a project or a dataset.')
  if (dataset_id != null) return { project_ids: [], dataset_id }
  if (session_id == null) return {}
  return { project_ids: before?.project_ids[0] === session_id ? before.project_ids : [session_id], dataset_id: null }
}

function toTarget(before: RuleDefinition | undefined, { group_by }: RunRuleUpdate): RuleDefinition['target'] {
  const target = before?.target ?? 'run'
  if (group_by === 'thread_id') return 'thread'
  return group_by === null && target === 'thread' ? 'run' : target
}

/** Actions that the client does not know stay, after those that it knows. */
function toActions(before: readonly RuleAction[], body: RunRuleUpdate, evaluate: readonly RuleAction[]): RuleAction[] {
  const dataset = before.find((action) => action.kind === 'add_to_dataset')
  const queue = before.find(({ kind }) => kind === 'add_to_queue')
  const { add_to_dataset_id: dataset_id, add_to_annotation_queue_id: queue_id } = body
  const changedDataset: RuleAction | undefined =
    dataset_id == null || dataset?.dataset_id === dataset_id ? dataset : { kind: 'add_to_dataset', dataset_id }
  const changedQueue = queue_id == null ? undefined : { kind: 'add_to_queue' as const, queue_id }
  const ours = before.filter((action) => action.kind !== 'evaluate' && action !== dataset && action !== queue)
  return [
    ...evaluate,
    ...ours,
    ...toList(dataset_id === null ? undefined : changedDataset),
    ...toList(queue_id === undefined ? queue : changedQueue),
  ]
}

const toList = <Item>(item: Item | undefined): Item[] => (item === undefined ? [] : [item])

function toSpendLimit(before: RuleDefinition | undefined, limit: RunRuleUpdate['spend_limit']) {
  if (limit == null) return null
  const allows_unpriced = before?.spend_limit?.allows_unpriced ?? false
  return { limit_usd: Number(limit.limit_usd), window: 'week', allows_unpriced }
}
