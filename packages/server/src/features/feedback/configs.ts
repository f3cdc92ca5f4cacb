import {
  ApiError,
  type FeedbackConfig,
  type FeedbackConfigCreate,
  type FeedbackConfigEntry,
  type FeedbackConfigListQuery,
  type FeedbackConfigUpdate,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { isStorable } from '../../storage/relational/columns.ts'
import { changeConfig, insertNewConfigs, selectConfigPage, selectConfigs } from './config-store.ts'
import type { FeedbackConfigRow } from './tables.ts'

export type ConfigDeps = Pick<Deps, 'relational' | 'clock'>

/**
 * Records the config of a key. A key that has the same config already keeps its record, with the direction that it has.
 *
 * @throws ApiError INVALID_REQUEST when the key has another config
 * @see contract/clients-2026-11.md §6.2
 */
export async function createConfig(
  deps: ConfigDeps,
  tenantId: string,
  { feedback_key, feedback_config, is_lower_score_better }: FeedbackConfigCreate,
): Promise<FeedbackConfigEntry> {
  const wanted = newRow(deps, tenantId, feedback_key, feedback_config, is_lower_score_better ?? false)
  await insertNewConfigs(deps.relational.db, [wanted])
  const [stored] = await selectConfigs(deps.relational.db, tenantId, [feedback_key])
  if (stored !== undefined && hasSameConfig(stored, wanted)) return presentConfig(stored)
  throw new ApiError(
    'INVALID_REQUEST',
    `The feedback key "${feedback_key}" has another config already; change that one.`,
  )
}

export async function listConfigs(
  { relational }: ConfigDeps,
  tenantId: string,
  query: FeedbackConfigListQuery,
): Promise<FeedbackConfigEntry[]> {
  const { key: keys, name_contains: nameContains, sort_by_desc: isDescending, offset, limit } = query
  if (![...(keys ?? []), nameContains ?? ''].every(isStorable)) return [] // no key can be called that
  const page = { keys, nameContains, isDescending, offset, limit }
  return (await selectConfigPage(relational.db, tenantId, page)).map(presentConfig)
}

/** @throws ApiError NOT_FOUND */
export async function updateConfig(
  deps: ConfigDeps,
  tenantId: string,
  { feedback_key, feedback_config, is_lower_score_better }: FeedbackConfigUpdate,
): Promise<FeedbackConfigEntry> {
  return presentConfig(
    await change(deps, tenantId, feedback_key, {
      ...(feedback_config != null && { config: whole(feedback_config) }),
      ...(is_lower_score_better != null && { is_lower_score_better }),
      modified_at: timeOfEpochMs(deps.clock()),
    }),
  )
}

/** Feedback of the key stays, and the key can get a config again. @throws ApiError NOT_FOUND */
export async function deleteConfig(deps: ConfigDeps, tenantId: string, key: string): Promise<void> {
  await change(deps, tenantId, key, { deleted_at: timeOfEpochMs(deps.clock()) })
}

/** Records configs that came along with feedback; keys that have one keep it. */
export async function noteConfigs(
  deps: ConfigDeps,
  tenantId: string,
  given: ReadonlyMap<string, FeedbackConfig>,
): Promise<void> {
  const rows = Array.from(given, ([key, config]) => newRow(deps, tenantId, key, config, false))
  await insertNewConfigs(deps.relational.db, rows)
}

/** Configs of keys, by key; keys without one are left out. */
export async function configsOf(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  keys: readonly string[],
): Promise<Map<string, FeedbackConfig>> {
  if (keys.length === 0) return new Map()
  const rows = await selectConfigs(relational.db, tenantId, [...new Set(keys)])
  return new Map(rows.map((row) => [row.feedback_key, row.config]))
}

/** Those of the keys whose lower scores are better. */
export async function keysWithLowerBetter(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  keys: readonly string[],
): Promise<Set<string>> {
  const storable = [...new Set(keys)].filter(isStorable)
  const rows = storable.length === 0 ? [] : await selectConfigs(relational.db, tenantId, storable)
  return new Set(rows.filter((row) => row.is_lower_score_better).map((row) => row.feedback_key))
}

async function change(
  { relational }: ConfigDeps,
  tenantId: string,
  key: string,
  changes: Partial<FeedbackConfigRow>,
): Promise<FeedbackConfigRow> {
  const row = isStorable(key) ? await changeConfig(relational.db, tenantId, key, changes) : undefined
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Feedback config not found')
  return row
}

function newRow(
  deps: ConfigDeps,
  tenantId: string,
  key: string,
  config: FeedbackConfig,
  isLowerScoreBetter: boolean,
): FeedbackConfigRow {
  return {
    tenant_id: tenantId,
    feedback_key: key,
    config: whole(config),
    is_lower_score_better: isLowerScoreBetter,
    modified_at: timeOfEpochMs(deps.clock()),
    deleted_at: null,
  }
}

/** Every member there, so that two spellings of one config are equal. */
function whole({ type, min, max, categories }: FeedbackConfig): FeedbackConfig {
  return {
    type,
    min: min ?? null,
    max: max ?? null,
    categories: categories?.map(({ value, label }) => ({ value, label: label ?? null })) ?? null,
  }
}

function hasSameConfig(one: FeedbackConfigRow, other: FeedbackConfigRow): boolean {
  return JSON.stringify(whole(one.config)) === JSON.stringify(whole(other.config))
}

function presentConfig(row: FeedbackConfigRow): FeedbackConfigEntry {
  return {
    feedback_key: row.feedback_key,
    feedback_config: whole(row.config),
    tenant_id: row.tenant_id,
    modified_at: row.modified_at,
    is_lower_score_better: row.is_lower_score_better,
  }
}
