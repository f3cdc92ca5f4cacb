import { ApiError, type ProjectCreate, type ProjectUpdate } from '@touchstone/contract'
import { isObjectText, mergeExtra, splitMembers } from '@touchstone/formats/cut-json'
import { isRecord } from '@touchstone/formats/guards'
import { printObject } from '@touchstone/formats/write-object'
import type { Deps } from '../../deps.ts'
import { findOvertaken, overtaken } from '../../storage/relational/expected.ts'
import { searchable } from '../../storage/relational/like.ts'
import type { ProjectRow } from '../../storage/relational/tables/projects.ts'
import { assertProjectName, forgetProjects, newProject } from './resolve-project.ts'
import {
  insertProject,
  selectProjectByName,
  selectProjectForUpdate,
  takeExperimentNumber,
  updateProject,
} from './store.ts'

/** Deletes projects with everything in them. The deletion itself is in `lifecycle`, because it affects many features. */
export type DeleteProjects = (
  tenantId: string,
  ids: readonly string[],
  requestedBy: string | undefined,
) => Promise<void>

type SaveDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'>

/** A request to create or update a project; `extraText` is the raw JSON of its `extra`. */
export interface ProjectRequest<Body> {
  readonly body: Body
  readonly extraText: string | undefined
}

/**
 * Creates a project. With `upsert`, an existing project with the name is updated and returned instead.
 *
 * @throws ApiError CONFLICT when the name or id is taken
 */
export async function createProject(
  deps: SaveDeps,
  tenantId: string,
  { body, extraText }: ProjectRequest<ProjectCreate>,
  upsert: boolean,
): Promise<ProjectRow> {
  assertProjectName(body.name)
  const extra = extraText ?? null
  const fresh = newProject(deps, tenantId, body.name)
  const inserted = await insert(deps, {
    ...fresh,
    id: body.id ?? fresh.id,
    description: body.description ?? null,
    extra,
    metadata: toSearchableMetadata(extra),
    reference_dataset_id: body.reference_dataset_id ?? null,
    default_dataset_id: body.default_dataset_id ?? null,
    start_time: body.start_time ?? fresh.start_time,
    end_time: body.end_time ?? null,
    trace_tier: body.trace_tier ?? null,
    num_examples: body.num_examples ?? null,
    num_repetitions: body.num_repetitions ?? null,
    evaluator_keys: body.evaluator_keys ? JSON.stringify(body.evaluator_keys) : null,
  })
  if (inserted !== undefined) return inserted
  const existing = await selectProjectByName(deps.relational.db, tenantId, body.name)
  if (existing === undefined) throw new ApiError('CONFLICT', 'A session of this id already exists.')
  if (!upsert) throw new ApiError('CONFLICT', 'Session already exists.')
  const { description, reference_dataset_id } = body
  return change(deps, tenantId, existing.id, { description, reference_dataset_id }, extraText)
}

/** @returns undefined when the name or id is taken */
function insert({ relational }: SaveDeps, row: ProjectRow): Promise<ProjectRow | undefined> {
  const datasetId = row.reference_dataset_id
  if (datasetId === null) return insertProject(relational.db, row)
  return relational.transaction(async (tx) => {
    const inserted = await insertProject(tx, row)
    if (inserted === undefined) return undefined
    const test_run_number = await takeExperimentNumber(tx, row.tenant_id, datasetId)
    await updateProject(tx, row.tenant_id, row.id, { test_run_number })
    return { ...inserted, test_run_number }
  })
}

/**
 * Renames, describes or ends a project; null means unchanged.
 *
 * @throws ApiError NOT_FOUND, or CONFLICT when the new name is taken or an expected value was changed
 */
export async function updateProjectByRequest(
  deps: SaveDeps,
  tenantId: string,
  id: string,
  { body, extraText }: ProjectRequest<ProjectUpdate>,
): Promise<ProjectRow> {
  if (body.name != null) assertProjectName(body.name)
  const { name, description, default_dataset_id, end_time, trace_tier } = body
  const wanted = { name, description, default_dataset_id, end_time, trace_tier }
  return change(deps, tenantId, id, wanted, extraText, body)
}

type Changes = { readonly [Field in keyof ProjectRow]?: ProjectRow[Field] | null | undefined }

async function change(
  { relational, caches }: SaveDeps,
  tenantId: string,
  id: string,
  wanted: Changes,
  extraText: string | undefined,
  { removed_metadata: removed, expected }: Pick<ProjectUpdate, 'removed_metadata' | 'expected'> = {},
): Promise<ProjectRow> {
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value != null)) as Partial<ProjectRow>
  const changed = await relational.transaction(async (tx) => {
    const before = await selectProjectForUpdate(tx, tenantId, id)
    if (before === undefined) throw new ApiError('NOT_FOUND', 'Session not found')
    assertExpectedProject(before, expected)
    if (given.name !== undefined) {
      const holder = await selectProjectByName(tx, tenantId, given.name)
      if (holder !== undefined && holder.id !== id) throw new ApiError('CONFLICT', 'Session already exists.')
    }
    const extra = mergeStoredExtra(removeMetadata(before.extra, removed ?? []), extraText)
    const datasetId = given.reference_dataset_id
    const isNewOfDataset = datasetId && datasetId !== before.reference_dataset_id
    const changes = {
      ...given,
      extra,
      metadata: toSearchableMetadata(extra),
      ...(isNewOfDataset && { test_run_number: await takeExperimentNumber(tx, tenantId, datasetId) }),
    }
    await updateProject(tx, tenantId, id, changes)
    return { ...before, ...changes }
  })
  forgetProjects({ caches })
  return changed
}

/** @throws ApiError CONFLICT; its problems name fields, members of `extra` and keys of the metadata */
function assertExpectedProject({ name, description, extra }: ProjectRow, expected: ProjectUpdate['expected']): void {
  const { extra: members, ...fields } = expected ?? {}
  const changed: (string | string[])[] = findOvertaken(fields, { name, description })
  if (members !== undefined) {
    const { metadata, ...others } = members
    const stored = parseRecord(extra)
    for (const member of findOvertaken(others, stored)) changed.push(['extra', member])
    const keys = findOvertaken(metadata, isRecord(stored.metadata) ? stored.metadata : {})
    for (const key of keys) changed.push(['extra', 'metadata', key])
  }
  if (changed.length > 0) throw overtaken('The project', changed)
}

function parseRecord(json: string | null): Record<string, unknown> {
  const value: unknown = json === null ? null : JSON.parse(json)
  return isRecord(value) ? value : {}
}

/** Raw JSON of `extra` in a request body; `undefined` when absent or null. */
export function readExtra(bodyText: string): string | undefined {
  const extra = splitMembers(bodyText).get('extra')
  return extra === undefined || extra === 'null' ? undefined : extra
}

/** The value to store after an update; without a given value, the stored one. */
function mergeStoredExtra(stored: string | null, given: string | undefined): string | null {
  if (given === undefined) return stored
  return stored === null ? given : mergeExtra(stored, given)
}

/** Removes keys from the metadata; all other bytes stay the same. */
function removeMetadata(extra: string | null, keys: readonly string[]): string | null {
  if (extra === null || keys.length === 0) return extra
  const members = splitMembers(extra)
  const metadata = members.get('metadata')
  if (metadata === undefined || !isObjectText(metadata)) return extra
  const left = splitMembers(metadata)
  for (const key of keys) left.delete(key)
  return printObject(members.set('metadata', printObject(left)))
}

/** `extra.metadata` in the form that filters compare. */
function toSearchableMetadata(extra: string | null): unknown {
  const metadata = extra === null ? undefined : splitMembers(extra).get('metadata')
  return metadata !== undefined && isObjectText(metadata) ? searchable(JSON.parse(metadata)) : {}
}
