import {
  ApiError,
  EXAMPLE_FILTERS,
  type FilterSurface,
  PROJECT_FILTERS,
  PUBLIC_FILTER_LIMITS,
  parseFilter,
} from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { splitMembers } from '../../../json/cut-json.ts'
import { printObject } from '../../../json/write-object.ts'
import { findDatasetShare } from '../../../storage/relational/public-links.ts'
import { type ExampleRow, presentExample } from '../../datasets/examples/index.ts'
import { type DatasetRow, getDataset, presentDataset } from '../../datasets/index.ts'
import { type ListedProject, presentProject, selectExperimentIds } from '../../projects/index.ts'

/** What a token opens: one dataset of one workspace. */
export interface OpenDataset {
  readonly tenantId: string
  readonly dataset: DatasetRow
  readonly sharesProjects: boolean
  readonly token: string
}

/**
 * Opens what a public reader holds a token for.
 *
 * @throws ApiError NOT_FOUND, in the same words whether the token never was, was revoked, or opens something else
 */
export async function openDatasetShare(deps: Pick<Deps, 'relational'>, token: string): Promise<OpenDataset> {
  const share = await findDatasetShare(deps.relational.db, token)
  if (share === undefined) throw new ApiError('NOT_FOUND', 'Shared dataset not found')
  const dataset = await getDataset(deps, share.tenant_id, share.dataset_id)
  return { tenantId: share.tenant_id, dataset, sharesProjects: share.shares_projects, token: share.share_token }
}

/** The experiments that are open with the dataset: all, or none. */
export async function openExperiments(
  deps: Pick<Deps, 'relational'>,
  { tenantId, dataset, sharesProjects }: OpenDataset,
): Promise<readonly string[]> {
  return sharesProjects ? selectExperimentIds(deps, tenantId, dataset.id) : []
}

/** Those of the experiments asked for that are open; without a question, all that are. */
export async function openAmong(
  deps: Pick<Deps, 'relational'>,
  share: OpenDataset,
  asked: readonly string[] | null | undefined,
): Promise<string[]> {
  const open = await openExperiments(deps, share)
  const wanted = asked?.length ? new Set(asked) : undefined
  return open.filter((id) => wanted?.has(id) ?? true)
}

const PRIVATE_OF_DATASET = ['tenant_id', 'session_count', 'last_session_start_time', 'modified_at', 'metadata']

/** A dataset as a public reader sees it. */
export function presentPublicDataset(row: DatasetRow): string {
  return without(presentDataset({ row, sessionCount: 0, lastSessionStartTime: null }), PRIVATE_OF_DATASET)
}

/** An example as a public reader sees it: the run it came from is nobody's business. */
export function presentPublicExample(row: ExampleRow, urlOf: Parameters<typeof presentExample>[1]): string {
  return without(presentExample(row, urlOf), ['source_run_id'])
}

export function presentPublicProject({ row, stats }: ListedProject): string {
  return without(presentProject(row, stats), ['tenant_id', 'default_dataset_id'])
}

/** The text of an object without some of its members. */
export function without(text: string, keys: readonly string[]): string {
  const members = splitMembers(text)
  for (const key of keys) members.delete(key)
  return printObject(members)
}

type Text = string | null | undefined

/**
 * Refuses run filters that are larger than a reader without a key may ask.
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
