import {
  ApiError,
  EXAMPLE_FILTERS,
  type FilterSurface,
  PROJECT_FILTERS,
  PUBLIC_FILTER_LIMITS,
  parseFilter,
} from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import { printObject } from '@touchstone/formats/write-object'
import type { Deps } from '../../../deps.ts'
import { findDatasetShare } from '../../../storage/relational/public-links.ts'
import { type ExampleRow, presentExample } from '../../datasets/examples/index.ts'
import { type DatasetRow, getDataset, presentDataset, toNewDatasetView } from '../../datasets/index.ts'
import { type ListedProject, presentProject, selectExperimentIds } from '../../projects/index.ts'

/** The dataset that a token gives access to. */
export interface OpenDataset {
  readonly tenantId: string
  readonly dataset: DatasetRow
  readonly sharesProjects: boolean
  readonly token: string
}

/**
 * Finds the dataset of a share token.
 *
 * @throws ApiError NOT_FOUND with the same message for an unknown token, a revoked token and a token of something else
 */
export async function openDatasetShare(deps: Pick<Deps, 'relational'>, token: string): Promise<OpenDataset> {
  const share = await findDatasetShare(deps.relational.db, token)
  if (share === undefined) throw new ApiError('NOT_FOUND', 'Shared dataset not found')
  const dataset = await getDataset(deps, share.tenant_id, share.dataset_id)
  return { tenantId: share.tenant_id, dataset, sharesProjects: share.shares_projects, token: share.share_token }
}

/** Ids of the experiments that are shared with the dataset: all, or none. */
export async function selectSharedExperimentIds(
  deps: Pick<Deps, 'relational'>,
  { tenantId, dataset, sharesProjects }: OpenDataset,
): Promise<readonly string[]> {
  return sharesProjects ? selectExperimentIds(deps, tenantId, dataset.id) : []
}

/** Requested experiments that are shared. @param requested  @default all */
export async function selectRequestedExperimentIds(
  deps: Pick<Deps, 'relational'>,
  share: OpenDataset,
  requested: readonly string[] | null | undefined,
): Promise<string[]> {
  const shared = await selectSharedExperimentIds(deps, share)
  const wanted = requested?.length ? new Set(requested) : undefined
  return shared.filter((id) => wanted?.has(id) ?? true)
}

const PRIVATE_OF_DATASET = [
  'tenant_id',
  'session_count',
  'last_session_start_time',
  'last_session_id',
  'modified_at',
  'metadata',
]

/** A dataset without private fields. */
export function presentPublicDataset(row: DatasetRow): string {
  return omitMembers(presentDataset(toNewDatasetView(row)), PRIVATE_OF_DATASET)
}

/** An example without the run that it was made from. */
export function presentPublicExample(row: ExampleRow, toUrl: Parameters<typeof presentExample>[1]): string {
  return omitMembers(presentExample(row, toUrl), ['source_run_id'])
}

export function presentPublicProject({ row, stats }: ListedProject): string {
  return omitMembers(presentProject(row, stats), ['tenant_id', 'default_dataset_id'])
}

/** The text of an object without some of its members. */
export function omitMembers(text: string, keys: readonly string[]): string {
  const members = splitMembers(text)
  for (const key of keys) members.delete(key)
  return printObject(members)
}

type Text = string | null | undefined

/**
 * Limits the size of run filters of callers without a key.
 *
 * @throws FilterError
 */
export function checkRunFilters(...texts: readonly Text[]): void {
  check(undefined, texts)
}

/** The same for filters of examples. */
export function checkExampleFilter(text: Text): void {
  check(EXAMPLE_FILTERS, [text])
}

/** The same for filters of experiments. */
export function checkProjectFilter(text: Text): void {
  check(PROJECT_FILTERS, [text])
}

function check(surface: FilterSurface | undefined, texts: readonly Text[]): void {
  for (const text of texts) parseFilter(text ?? '', surface, PUBLIC_FILTER_LIMITS)
}
