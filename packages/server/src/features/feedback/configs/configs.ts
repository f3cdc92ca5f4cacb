import {
  ApiError,
  type FeedbackConfig,
  type FeedbackConfigCreate,
  type FeedbackConfigDeletion,
  type FeedbackConfigEntry,
  type FeedbackConfigListQuery,
  type FeedbackConfigUpdate,
  isAtLeast,
  isStorable,
  MAX_CATEGORIES,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import { assertExpected } from '../../../storage/relational/expected.ts'
import type { FeedbackConfigRow } from '../../../storage/relational/tables/feedback.ts'
import {
  insertConfigs,
  lockConfig,
  lockConfigs,
  selectAllConfigs,
  selectConfigPage,
  selectConfigs,
  updateConfigs,
} from './store.ts'

export type ConfigDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/**
 * Creates the config of a key, or the enforced config beside it. A key that already has the same config keeps its record
 * and direction.
 *
 * @throws ApiError FORBIDDEN when a caller who is not an admin enforces, CONFLICT when the key has another enforced config,
 *   INVALID_REQUEST when it has another config
 * @see docs/decisions/0057-one-config-and-an-enforced-one.md
 */
export async function createConfig(
  deps: ConfigDeps,
  caller: Caller,
  body: FeedbackConfigCreate,
): Promise<FeedbackConfigEntry> {
  const { feedback_key: key, feedback_config: config } = body
  const isEnforced = body.is_enforced ?? false
  if (isEnforced) assertMayEnforce(caller)
  const row = await deps.relational.transaction(async (tx) => {
    const live = await lockConfigs(tx, caller.tenantId, key)
    const same = live.find((one) => hasSameConfig(one.config, config) && (one.is_enforced || !isEnforced))
    if (same !== undefined) return same
    if (isEnforced && live.some((one) => one.is_enforced)) {
      throw new ApiError('CONFLICT', `The feedback key "${key}" has an enforced config already; change that one.`)
    }
    if (!isEnforced && live.length > 0) throw alreadyExists(key)
    const isLowerBetter = body.is_lower_score_better ?? live[0]?.is_lower_score_better ?? false
    const [inserted] = await insertConfigs(tx, [
      {
        ...newRow(deps, caller.tenantId, key, config),
        is_lower_score_better: isLowerBetter,
        is_enforced: isEnforced,
        is_first: live.length === 0,
      },
    ])
    await updateConfigs(tx, caller.tenantId, toIds(live), { is_lower_score_better: isLowerBetter })
    return inserted
  })
  // A concurrent request created one: start again with its config.
  return row === undefined ? createConfig(deps, caller, body) : presentConfig(row)
}

export async function listConfigs(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  query: FeedbackConfigListQuery,
): Promise<FeedbackConfigEntry[]> {
  const { key: keys, name_contains: nameContains, is_enforced: isEnforced, offset, limit } = query
  if (![...(keys ?? []), nameContains ?? ''].every(isStorable)) return [] // no key has such a name
  const page = { keys, nameContains, isEnforced, isDescending: query.sort_by_desc, offset, limit }
  const select = query.include_all_configs ? selectAllConfigs : selectConfigPage
  return (await select(relational.db, tenantId, page)).map(presentConfig)
}

/**
 * Changes one config of a key; the direction changes for all configs of the key.
 *
 * @throws ApiError NOT_FOUND, FORBIDDEN when a caller who is not an admin changes an enforced config, CONFLICT when an
 *   expected value was changed, UNPROCESSABLE when the categories cannot be changed as requested
 */
export async function updateConfig(
  deps: ConfigDeps,
  caller: Caller,
  body: FeedbackConfigUpdate,
): Promise<FeedbackConfigEntry> {
  const { feedback_key: key, is_lower_score_better: isLowerBetter } = body
  if (!isStorable(key)) throw notFound()
  return deps.relational.transaction(async (tx) => {
    const live = await lockConfigs(tx, caller.tenantId, key)
    const current = body.id == null ? live[0] : live.find(({ id }) => id === body.id)
    if (current === undefined) throw notFound()
    if (current.is_enforced) assertMayEnforce(caller)
    const { feedback_config: expected, is_lower_score_better } = body.expected ?? {}
    assertExpected(
      'The feedback key',
      { feedback_config: expected && normalizeConfig(expected), is_lower_score_better },
      { feedback_config: normalizeConfig(current.config), is_lower_score_better: current.is_lower_score_better },
    )
    if (isLowerBetter != null) {
      await updateConfigs(tx, caller.tenantId, toIds(live), { is_lower_score_better: isLowerBetter })
    }
    const config = changeCategories(body.feedback_config ?? current.config, body)
    const modified_at = timeOfEpochMs(deps.clock())
    const [changed] = await updateConfigs(tx, caller.tenantId, [current.id], {
      config: normalizeConfig(config),
      modified_at,
    })
    if (changed === undefined) throw notFound()
    return presentConfig(changed)
  })
}

/**
 * Deletes configs. Feedback of the key stays, and the key can get a config again.
 *
 * @throws ApiError NOT_FOUND, FORBIDDEN when a caller who is not an admin deletes an enforced config
 */
export async function deleteConfigs(
  deps: ConfigDeps,
  caller: Caller,
  { feedback_key: key, id }: FeedbackConfigDeletion,
): Promise<void> {
  if (key !== undefined && !isStorable(key)) throw notFound()
  const { tenantId } = caller
  await deps.relational.transaction(async (tx) => {
    const rows = id === undefined ? await lockConfigs(tx, tenantId, key ?? '') : await lockConfig(tx, tenantId, id)
    if (rows.length === 0) throw notFound()
    if (rows.some((row) => row.is_enforced)) assertMayEnforce(caller)
    await updateConfigs(tx, tenantId, toIds(rows), { deleted_at: timeOfEpochMs(deps.clock()) })
  })
}

/** Creates configs that were sent with feedback; keys that have a config keep it. */
export async function insertMissingConfigs(
  deps: ConfigDeps,
  tenantId: string,
  given: ReadonlyMap<string, FeedbackConfig>,
): Promise<void> {
  const known = await selectConfigsByKey(deps, tenantId, [...given.keys()])
  const rows = Array.from(given, ([key, config]) => newRow(deps, tenantId, key, config))
  await insertConfigs(
    deps.relational.db,
    rows.filter((row) => !known.has(row.feedback_key)),
  )
}

/** The effective configs by key; keys without one are omitted. */
export async function selectConfigsByKey(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  keys: readonly string[],
): Promise<Map<string, FeedbackConfig>> {
  if (keys.length === 0) return new Map()
  const rows = await selectConfigs(relational.db, tenantId, [...new Set(keys)])
  return new Map(rows.map((row) => [row.feedback_key, row.config]))
}

/** The effective configs in wire form, by key. */
export async function listConfigsByKey(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  keys: readonly string[],
): Promise<Map<string, FeedbackConfigEntry>> {
  const storable = [...new Set(keys)].filter(isStorable)
  const rows = storable.length === 0 ? [] : await selectConfigs(relational.db, tenantId, storable)
  return new Map(rows.map((row) => [row.feedback_key, presentConfig(row)]))
}

/** The keys for which lower scores are better. */
export async function selectKeysWithLowerBetter(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  keys: readonly string[],
): Promise<Set<string>> {
  const storable = [...new Set(keys)].filter(isStorable)
  const rows = storable.length === 0 ? [] : await selectConfigs(relational.db, tenantId, storable)
  return new Set(rows.filter((row) => row.is_lower_score_better).map((row) => row.feedback_key))
}

function newRow(deps: ConfigDeps, tenantId: string, key: string, config: FeedbackConfig): FeedbackConfigRow {
  return {
    id: deps.ids(),
    tenant_id: tenantId,
    feedback_key: key,
    config: normalizeConfig(config),
    is_lower_score_better: false,
    is_enforced: false,
    is_first: true,
    modified_at: timeOfEpochMs(deps.clock()),
    deleted_at: null,
  }
}

function assertMayEnforce(caller: Caller): void {
  if (!isAtLeast(caller.role, 'admin')) throw new ApiError('FORBIDDEN', 'Enforced feedback configs are for admins.')
}

function alreadyExists(key: string): ApiError {
  return new ApiError(
    'INVALID_REQUEST',
    `Feedback config already exists: the feedback key "${key}" has another one; change that.`,
  )
}

function notFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Feedback config not found')
}

function toIds(rows: readonly FeedbackConfigRow[]): string[] {
  return rows.map(({ id }) => id)
}

/** Adds missing members, so that equal configs are written equally. */
function normalizeConfig({ type, min, max, categories, allows_multiple_categories: allowsMultiple }: FeedbackConfig) {
  return {
    type,
    min: min ?? null,
    max: max ?? null,
    categories: categories?.map(({ value, label }) => ({ value, label: label ?? null })) ?? null,
    allows_multiple_categories: allowsMultiple ?? false,
  }
}

function hasSameConfig(one: FeedbackConfig, other: FeedbackConfig): boolean {
  return JSON.stringify(normalizeConfig(one)) === JSON.stringify(normalizeConfig(other))
}

function presentConfig(row: FeedbackConfigRow): FeedbackConfigEntry {
  return {
    id: row.id,
    feedback_key: row.feedback_key,
    feedback_config: normalizeConfig(row.config),
    tenant_id: row.tenant_id,
    modified_at: row.modified_at,
    is_lower_score_better: row.is_lower_score_better,
    is_enforced: row.is_enforced,
    is_first: row.is_first,
    is_deleted: row.deleted_at !== null,
  }
}

type CategoryChanges = Pick<FeedbackConfigUpdate, 'add_categories' | 'remove_categories'>
type Category = NonNullable<FeedbackConfig['categories']>[number]

/** The fewest categories after a removal: with a single one there is no choice. */
const FEWEST = 2

/**
 * Removes the categories of the given values, then appends the added ones.
 *
 * @throws ApiError UNPROCESSABLE when the config is not categorical, when a value or label would occur twice, or when a
 *   removal leaves fewer than two categories
 */
function changeCategories(config: FeedbackConfig, changes: CategoryChanges): FeedbackConfig {
  const { add_categories: added, remove_categories: removed } = changes
  if (added == null && removed == null) return config
  if (config.type !== 'categorical') {
    throw new ApiError('UNPROCESSABLE', `The feedback config is ${config.type}; only a categorical one has categories.`)
  }
  const kept = (config.categories ?? []).filter(({ value }) => !removed?.includes(value))
  const categories = [...kept, ...(added ?? [])]
  if (removed != null && categories.length < FEWEST) {
    throw new ApiError('UNPROCESSABLE', `At least ${FEWEST} categories must be left.`)
  }
  if (categories.length > MAX_CATEGORIES) {
    throw new ApiError('UNPROCESSABLE', `A feedback config has at most ${MAX_CATEGORIES} categories.`)
  }
  assertDistinct(kept, added ?? [])
  return { ...config, categories }
}

function assertDistinct(kept: readonly Category[], added: readonly Category[]): void {
  const values = new Set(kept.map(({ value }) => value))
  const labels = new Set(kept.map(({ label }) => label))
  for (const { value, label } of added) {
    if (values.has(value)) throw new ApiError('UNPROCESSABLE', `A category with the value ${value} exists already.`)
    if (label != null && labels.has(label)) {
      throw new ApiError('UNPROCESSABLE', `A category with the label "${label}" exists already.`)
    }
    values.add(value)
    labels.add(label)
  }
}
