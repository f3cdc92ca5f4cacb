import {
  ApiError,
  FilterError,
  MAX_RULE_VERSIONS,
  MAX_RULES,
  type Rule,
  type RuleCreate,
  type RuleDefinition,
  type RuleUpdate,
  type RuleVersion,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, asc, count, desc, eq, ne, or, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { containsText } from '../../storage/relational/like.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type RuleRow, rules, ruleVersions } from '../../storage/relational/tables/rules.ts'
import { selectQueue } from '../annotation-queues/index.ts'
import { selectDatasetMap } from '../datasets/index.ts'
import { findEvaluator } from '../evaluators/index.ts'
import { assertChannels } from '../notifications/index.ts'
import { selectProjectIds } from '../projects/index.ts'
import { whereMatches, withoutFilters } from './conditions.ts'
import { type RuleNoticeDeps, sendRuleNotice, toBlockIncident } from './notices.ts'
import { presentRule, readDefinition } from './present.ts'

export type RuleDeps = Pick<Deps, 'relational' | 'clock' | 'ids'> & RuleNoticeDeps

interface RuleSearch {
  readonly project_id?: string | undefined
  readonly dataset_id?: string | undefined
  readonly search?: string | undefined
  readonly offset: number
  readonly limit: number
}

/** A page of rules by name, and their total number. */
export async function listRules(
  { relational: { db } }: RuleDeps,
  tenantId: string,
  { project_id, dataset_id, search, offset, limit }: RuleSearch,
): Promise<{ rules: Rule[]; total: number }> {
  const where = and(
    eq(rules.tenant_id, tenantId),
    project_id === undefined ? undefined : sql`${project_id}::uuid = any(${rules.project_ids})`,
    dataset_id === undefined ? undefined : eq(rules.dataset_id, dataset_id),
    search ? or(containsText(rules.name, search), containsText(rules.description, search)) : undefined,
  )
  const [total, found] = await Promise.all([
    db.select({ n: count() }).from(rules).where(where),
    db
      .select()
      .from(rules)
      .where(where)
      .orderBy(asc(sql`lower(${rules.name})`), asc(rules.id))
      .offset(offset)
      .limit(limit),
  ])
  return { rules: found.map(presentRule), total: total[0]?.n ?? 0 }
}

/** @throws ApiError NOT_FOUND */
export async function getRule(db: Database, tenantId: string, id: string): Promise<RuleRow> {
  const [row] = await db.select().from(rules).where(matches(tenantId, id))
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Rule not found')
  return row
}

const matches = (tenantId: string, id: string) => and(eq(rules.tenant_id, tenantId), eq(rules.id, id))

/**
 * Creates a rule. It looks at runs that arrive from now on.
 *
 * @throws ApiError CONFLICT for a name that is taken, INVALID_REQUEST
 */
export async function createRule(
  deps: RuleDeps,
  caller: Caller,
  { name, description, is_enabled, definition }: RuleCreate,
): Promise<Rule> {
  const { tenantId } = caller
  await assertDefinition(deps, tenantId, definition)
  const now = timeOfEpochMs(deps.clock())
  const row: RuleRow = {
    id: deps.ids(),
    tenant_id: tenantId,
    name,
    description: description ?? '',
    is_enabled: is_enabled ?? true,
    version: 1,
    ...toStored(definition),
    ...lookFrom(deps.clock()),
    looked_at: null,
    looker: null,
    looker_until: null,
    failures: 0,
    ...NOT_BLOCKED,
    created_at: now,
    modified_at: now,
    created_by: caller.actorName ?? null,
  }
  return deps.relational.transaction(async (tx) => {
    await lockRules(tx, tenantId)
    await assertNameFree(tx, row)
    await assertOrder(tx, row, definition)
    const [found] = await tx.select({ n: count() }).from(rules).where(eq(rules.tenant_id, tenantId))
    if ((found?.n ?? 0) >= MAX_RULES) {
      throw new ApiError('INVALID_REQUEST', `A workspace has at most ${MAX_RULES} rules. Delete one first.`)
    }
    await tx.insert(rules).values(row)
    await insertVersion(tx, row, caller, now)
    return presentRule(row)
  })
}

/** Changes a rule. @throws ApiError NOT_FOUND, CONFLICT, INVALID_REQUEST */
export async function updateRule(
  deps: RuleDeps,
  caller: Caller,
  id: string,
  { name, description, is_enabled, definition, expected_version }: RuleUpdate,
): Promise<Rule> {
  const { tenantId } = caller
  if (definition != null) await assertDefinition(deps, tenantId, definition)
  return deps.relational.transaction(async (tx) => {
    await lockRules(tx, tenantId)
    const before = await getRule(tx, tenantId, id)
    if (expected_version != null && expected_version !== before.version) {
      throw new ApiError('CONFLICT', `The rule has version ${before.version} by now. Read it again.`)
    }
    const stored = definition == null ? undefined : toStored(definition)
    // Stored definitions of earlier servers lack members with defaults.
    const isNew = stored !== undefined && stored.definition !== toStored(readDefinition(before.definition)).definition
    if (isNew && before.version >= MAX_RULE_VERSIONS) {
      throw new ApiError('INVALID_REQUEST', `A rule has at most ${MAX_RULE_VERSIONS} versions. Create another rule.`)
    }
    const now = timeOfEpochMs(deps.clock())
    const after: RuleRow = {
      ...before,
      name: name ?? before.name,
      description: description ?? before.description,
      is_enabled: is_enabled ?? before.is_enabled,
      ...(isNew && { ...stored, version: before.version + 1 }),
      // What was wrong may be mended by either.
      ...((isNew || is_enabled === true) && { ...NOT_BLOCKED, failures: 0 }),
      // A rule that was paused does not act on the runs of its pause.
      ...(is_enabled === true && !before.is_enabled && lookFrom(deps.clock())),
      modified_at: now,
    }
    await assertNameFree(tx, after)
    if (definition != null) await assertOrder(tx, after, definition)
    await tx.update(rules).set(after).where(matches(tenantId, id))
    if (isNew) await insertVersion(tx, after, caller, now)
    if (before.blocked_reason !== null && after.blocked_reason === null) await sendMended(deps, tx, after)
    return presentRule(after)
  })
}

const sendMended = (deps: RuleDeps, tx: Database, rule: RuleRow) =>
  sendRuleNotice(deps, tx, rule, {
    key: `${toBlockIncident(rule.id)}:resumed:${rule.modified_at}`,
    incident: toBlockIncident(rule.id),
    severity: 'info',
    isResolved: true,
    title: `The rule "${rule.name}" acts again`,
    text: 'It was resumed, and does what has waited.',
    body: { state: 'resumed' },
  })

/** @throws ApiError NOT_FOUND */
export async function deleteRuleRow(db: Database, tenantId: string, id: string): Promise<void> {
  const deleted = await db.delete(rules).where(matches(tenantId, id)).returning({ id: rules.id })
  if (deleted.length === 0) throw new ApiError('NOT_FOUND', 'Rule not found')
}

/** Versions of a rule, newest first. @throws ApiError NOT_FOUND */
export async function listRuleVersions(
  { relational: { db } }: RuleDeps,
  tenantId: string,
  id: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ versions: RuleVersion[]; total: number }> {
  const rule = await getRule(db, tenantId, id)
  const rows = await db
    .select()
    .from(ruleVersions)
    .where(eq(ruleVersions.rule_id, id))
    .orderBy(desc(ruleVersions.version))
    .offset(offset)
    .limit(limit)
  const versions = rows.map(({ tenant_id: _, definition, ...row }) => ({
    ...row,
    definition: readDefinition(definition),
  }))
  return { versions, total: rule.version }
}

const lookFrom = (nowMs: number) => ({ looked_to: nowMs * 1000, looks_since: nowMs * 1000 })

export const NOT_BLOCKED = { blocked_reason: null, blocked_message: null, blocked_at: null }

const toStored = (definition: RuleDefinition) => ({
  definition: JSON.stringify(definition),
  project_ids: [...new Set(definition.project_ids)],
  dataset_id: definition.dataset_id ?? null,
})

async function insertVersion(tx: Database, row: RuleRow, caller: Caller, now: string): Promise<void> {
  await tx.insert(ruleVersions).values({
    rule_id: row.id,
    version: row.version,
    tenant_id: row.tenant_id,
    definition: row.definition,
    created_at: now,
    created_by: caller.actorName ?? null,
  })
}

/** One change of a workspace's rules at a time, so that names stay unique and versions follow each other. */
async function lockRules(tx: Database, tenantId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`rules ${tenantId}`}, 0))`)
}

async function assertNameFree(tx: Database, { tenant_id, id, name }: RuleRow): Promise<void> {
  const taken = await tx
    .select({ id: rules.id })
    .from(rules)
    .where(and(eq(rules.tenant_id, tenant_id), eq(rules.name, name), ne(rules.id, id)))
  if (taken.length > 0) throw new ApiError('CONFLICT', `There is already a rule named "${name}".`)
}

/** Rules that wait for each other would never act. @throws ApiError INVALID_REQUEST */
async function assertOrder(
  tx: Database,
  { id, tenant_id }: RuleRow,
  { after_rule_ids }: RuleDefinition,
): Promise<void> {
  if (after_rule_ids.length === 0) return
  const found = await tx.select().from(rules).where(eq(rules.tenant_id, tenant_id))
  const before = new Map(found.map((rule) => [rule.id, readDefinition(rule.definition).after_rule_ids]))
  const missing = after_rule_ids.findIndex((one) => !before.has(one))
  if (missing >= 0) throw aRefusal(['after_rule_ids', missing], 'Rule not found')
  const waited = new Set(after_rule_ids)
  for (const one of waited) for (const next of before.get(one) ?? []) waited.add(next)
  if (waited.has(id)) throw aRefusal(['after_rule_ids'], 'The rules would wait for each other.')
}

function aRefusal(path: readonly (string | number)[], msg: string): ApiError {
  const problems = [{ loc: ['body', 'definition', ...path], msg, type: 'value_error' }]
  return new ApiError('INVALID_REQUEST', `${path.join('.')}: ${msg}`, { problems })
}

/** One check for create and update: filters are readable, and everything that is named exists. @throws ApiError INVALID_REQUEST */
export async function assertDefinition(deps: RuleDeps, tenantId: string, definition: RuleDefinition): Promise<void> {
  await assertSource(deps, tenantId, definition)
  await assertActions(deps, tenantId, definition)
}

/** Filters are readable, and what they are about exists. @throws ApiError INVALID_REQUEST */
export async function assertSource(deps: RuleDeps, tenantId: string, definition: RuleDefinition): Promise<void> {
  for (const name of ['filter', 'trace_filter', 'tree_filter'] as const) {
    try {
      whereMatches(tenantId, { ...withoutFilters(definition), [name]: definition[name] })
    } catch (error) {
      if (error instanceof FilterError) throw aRefusal([name], error.message)
      throw error
    }
  }
  const known = await selectProjectIds(deps.relational.db, tenantId, { ids: definition.project_ids })
  const missing = definition.project_ids.findIndex((id) => !known.includes(id))
  if (missing >= 0) throw aRefusal(['project_ids', missing], 'Project not found')
  const { dataset_id } = definition
  if (dataset_id != null && !(await selectDatasetMap(deps, tenantId, [dataset_id])).has(dataset_id)) {
    throw aRefusal(['dataset_id'], 'Dataset not found')
  }
}

/** Everything that the definition acts with exists. @throws ApiError INVALID_REQUEST */
async function assertActions(deps: RuleDeps, tenantId: string, definition: RuleDefinition): Promise<void> {
  const channel = await assertChannels(deps.relational.db, tenantId, definition.notice_channel_ids)
  if (channel !== undefined) {
    throw aRefusal(['notice_channel_ids', definition.notice_channel_ids.indexOf(channel)], 'Channel not found')
  }
  for (const [at, action] of definition.actions.entries()) {
    const problem = await findMissing(deps, tenantId, action)
    if (problem !== undefined) throw aRefusal(['actions', at], problem)
  }
}

async function findMissing(
  deps: RuleDeps,
  tenantId: string,
  action: RuleDefinition['actions'][number],
): Promise<string | undefined> {
  switch (action.kind) {
    case 'evaluate':
      return findEvaluator(deps, tenantId, action.evaluator_id, action.version ?? undefined).then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof ApiError) return error.message
          throw error
        },
      )
    case 'add_to_dataset': {
      const found = await selectDatasetMap(deps, tenantId, [action.dataset_id])
      return found.has(action.dataset_id) ? undefined : 'Dataset not found'
    }
    case 'add_to_queue':
      return (await selectQueue(deps.relational.db, tenantId, action.queue_id)) ? undefined : 'Queue not found'
    case 'tag':
      return undefined
    case 'notify':
      return (await assertChannels(deps.relational.db, tenantId, action.channel_ids)) === undefined
        ? undefined
        : 'Channel not found'
    case 'feedback':
      return action.score == null && action.value == null ? 'Give a score or a value.' : undefined
  }
}
