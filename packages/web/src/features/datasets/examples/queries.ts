import { type QueryClient, queryOptions } from '@tanstack/react-query'
import * as routes from '@touchstone/contract/routes'
import { listMembers } from '@touchstone/formats/cut-json'
import type { Example, ExampleConditions, ExampleQuery, MetadataOperation } from '@touchstone/sdk'
import { clientOf, DatasetCalls, DatasetFileCalls, DatasetVersionCalls, ExampleCalls } from '@touchstone/sdk/api'
import { client as baseClient, connection, readBytes } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import { deferWithUndo, saveFile } from '#lib/browser.ts'
import { createStore } from '#lib/store.ts'
import type { ExamplesSearch } from '../search.ts'
import { openDatasetLink } from '../sharing/public-datasets.ts'
import { type ExampleDraft, getChangedFields, startDraft, toContent } from './logic/example-draft.ts'
import { parseStoredExample, type StoredExample } from './logic/stored-example.ts'

const client = clientOf(connection, ExampleCalls, DatasetCalls, DatasetVersionCalls, DatasetFileCalls)

/** Which examples a list shows, and in which order. */
export interface ExamplesView {
  datasetId: string
  /** Token of the share link to read through, without credentials. */
  share?: string | undefined
  conditions: Omit<ExampleConditions, 'dataset'>
  order: Pick<ExampleQuery, 'order' | 'descending'>
}

export const DEFAULT_SORT = '-created'

/** Orders of the list, by the `sort` param. */
const ORDERS: Readonly<Record<string, ExamplesView['order']>> = {
  [DEFAULT_SORT]: { order: 'recently_created', descending: true },
  created: { order: 'recently_created', descending: false },
  '-modified': { order: 'recent', descending: true },
  modified: { order: 'recent', descending: false },
}

export function toExamplesView(datasetId: string, search: ExamplesSearch): ExamplesView {
  const { q, filter, split, as_of, sort = DEFAULT_SORT } = search
  return {
    datasetId,
    conditions: {
      as_of,
      filter,
      splits: split === undefined ? undefined : [split],
      full_text_contains: q === undefined || q === '' ? undefined : [q],
    },
    // A list by its creation does not move when an example is edited.
    order: ORDERS[sort] ?? ORDERS[DEFAULT_SORT] ?? {},
  }
}

/** Examples of one page of a list. */
export const PAGE_SIZE = 50

export const exampleQuery = {
  all: () => ['examples'] as const,
  ofDataset: (datasetId: string) => [...exampleQuery.all(), datasetId] as const,

  /** A page of a list, by its number from 0: any page can be loaded without those before it. */
  page: (view: ExamplesView, page: number) =>
    queryOptions({
      queryKey: [...exampleQuery.ofDataset(view.datasetId), 'page', view, page],
      queryFn: ({ signal }): Promise<Example[]> => {
        const query = { ...view.conditions, ...view.order, offset: page * PAGE_SIZE, limit: PAGE_SIZE }
        return view.share === undefined
          ? client.queryExamples({ dataset: view.datasetId, ...query }, { signal })
          : openDatasetLink(view.share).queryExamples(query, { signal })
      },
      staleTime: 60_000,
    }),

  count: ({ datasetId, conditions, share }: Omit<ExamplesView, 'order'>) =>
    queryOptions({
      queryKey: [...exampleQuery.ofDataset(datasetId), 'count', conditions, share],
      queryFn: ({ signal }) =>
        share === undefined
          ? client.countExamples({ dataset: datasetId, ...conditions }, { signal })
          : openDatasetLink(share).countExamples(conditions, { signal }),
      staleTime: 60_000,
    }),

  /** Names of the splits at a version. */
  splits: (datasetId: string, asOf?: string) =>
    queryOptions({
      queryKey: [...exampleQuery.ofDataset(datasetId), 'splits', asOf],
      queryFn: ({ signal }) => client.listDatasetSplits({ datasetId, asOf }, { signal }),
      staleTime: 60_000,
      meta: { quiet: true },
    }),

  /** One example with its attachments, as text: numbers beyond double precision keep their digits. */
  one: (datasetId: string, exampleId: string, asOf?: string) =>
    queryOptions({
      queryKey: [...exampleQuery.ofDataset(datasetId), 'one', exampleId, asOf],
      queryFn: async ({ signal }): Promise<StoredExample> => {
        const request = { params: { example_id: exampleId }, query: { dataset: datasetId, as_of: asOf }, signal }
        return parseStoredExample(new TextDecoder().decode(await readBytes(routes.examples.read, request)))
      },
      staleTime: 10_000,
    }),

  /** The newest example of a dataset that was made from a run, if there is one. */
  ofRun: (datasetId: string, runId: string) =>
    queryOptions({
      queryKey: [...exampleQuery.ofDataset(datasetId), 'of run', runId],
      queryFn: async ({ signal }): Promise<Example | null> => {
        const select = ['id', 'created_at']
        const query = { dataset: datasetId, source_run: [runId], select, exclude_default_fields: true, limit: 1 }
        return (await client.queryExamples(query, { signal }))[0] ?? null
      },
      meta: { quiet: true },
    }),

  /** The newest reference outputs of an example, as JSON text; empty without outputs. */
  reference: (exampleId: string) =>
    queryOptions({
      queryKey: [...exampleQuery.all(), 'reference', exampleId],
      queryFn: async ({ signal }): Promise<string> => {
        const request = { params: { example_id: exampleId }, signal }
        return parseStoredExample(new TextDecoder().decode(await readBytes(routes.examples.read, request))).outputs
      },
      staleTime: 60_000,
      meta: { quiet: true },
    }),

  /** The versions that changed an example, newest first. */
  history: (datasetId: string, exampleId: string) =>
    queryOptions({
      queryKey: [...exampleQuery.ofDataset(datasetId), 'history', exampleId],
      queryFn: async ({ signal }) => {
        const versions: { as_of: string; tags: readonly string[] }[] = []
        const listed = client.listDatasetVersions({ datasetId, exampleId, limit: MAX_HISTORY }, { signal })
        for await (const { as_of, tags } of listed) versions.push({ as_of, tags: tags ?? [] })
        return versions
      },
    }),

  /** Runs of all experiments on an example, newest first. */
  runs: (datasetId: string, exampleId: string) =>
    queryOptions({
      queryKey: [...exampleQuery.ofDataset(datasetId), 'runs', exampleId],
      queryFn: async ({ signal }) => {
        const { runs } = await baseClient.queryRuns(
          { reference_example: [exampleId], is_root: true, select: RUN_FIELDS, limit: MAX_RUNS },
          { signal },
        )
        const projectIds = [...new Set(runs.map(({ session_id }) => session_id))]
        const projects =
          projectIds.length === 0 ? [] : await baseClient.queryProjects({ id: projectIds, limit: MAX_RUNS }, { signal })
        const names = new Map(projects.map(({ id, name }) => [id, name]))
        return runs.map((run) => ({ run, experiment: names.get(run.session_id) ?? run.session_id }))
      },
    }),
}

/** Versions of one example that are shown. */
export const MAX_HISTORY = 200
/** Runs of one example that are shown. */
export const MAX_RUNS = 100
const RUN_FIELDS = (
  'id name run_type status start_time end_time error_preview outputs_preview derived_payloads total_tokens ' +
  'total_cost reported_cost unpriced_fees session_id trace_id feedback_stats'
).split(' ')

/**
 * Stores the changed parts of an example as a new version.
 *
 * @throws ConflictError when the example was changed since it was read
 */
export async function saveExample(queryClient: QueryClient, saved: StoredExample, draft: ExampleDraft): Promise<void> {
  const changed = getChangedFields(draft, startDraft(saved))
  const hasFileChanges = changed.includes('kept') || changed.includes('added')
  await client.updateExample({
    id: saved.id,
    dataset_id: saved.datasetId,
    expected: { modified_at: saved.modifiedAt },
    ...toContent(draft, changed),
    ...(hasFileChanges && {
      attachments: await readFiles(draft),
      attachments_operations: { retain: [...draft.kept] },
    }),
  })
  await refreshExamples(queryClient, saved.datasetId)
}

/** @returns the id of the new example */
export async function createExample(queryClient: QueryClient, datasetId: string, draft: ExampleDraft): Promise<string> {
  const { inputs = {}, outputs, metadata, split } = toContent(draft, ['inputs', 'outputs', 'metadata', 'splits'])
  const { id } = await client.createExample({
    dataset_id: datasetId,
    inputs,
    outputs,
    metadata,
    split: split?.length ? split : undefined,
    attachments: await readFiles(draft),
  })
  await refreshExamples(queryClient, datasetId)
  return id
}

async function readFiles({ added }: ExampleDraft) {
  const files = await Promise.all(
    added.map(async ({ name, mimeType, data }) => [name, { mimeType, data: new Uint8Array(await data.arrayBuffer()) }]),
  )
  return Object.fromEntries(files) as Record<string, { mimeType: string; data: Uint8Array }>
}

/** Ids of examples that were deleted here but not yet on the server, because the deletion can still be undone. */
export const deletingExamples = createStore<ReadonlySet<string>>(() => new Set())

/**
 * Deletes examples from the newest version after 5 s, unless it is undone.
 *
 * @returns a function that undoes the deletion within these 5 s
 */
export function deleteExamples(
  queryClient: QueryClient,
  datasetId: string,
  ids: readonly string[],
  onFailure: (cause: unknown) => void,
): () => void {
  deletingExamples.write(new Set([...deletingExamples.read(), ...ids]))
  const settle = () => deletingExamples.write(new Set([...deletingExamples.read()].filter((id) => !ids.includes(id))))
  const send = async () => {
    try {
      await client.deleteExamples([...ids])
      await refreshExamples(queryClient, datasetId)
    } catch (cause) {
      onFailure(cause)
    }
    settle()
  }
  const cancel = deferWithUndo(() => void send())
  return () => {
    cancel()
    settle()
  }
}

/**
 * Changes a metadata key, or the splits, of many examples.
 *
 * @returns how many were changed; those that were deleted meanwhile are not
 */
export async function changeMetadata(
  queryClient: QueryClient,
  datasetId: string,
  ids: readonly string[],
  operation: MetadataOperation,
): Promise<number> {
  const statuses = await client.updateExamplesMetadata(datasetId, [...ids], [operation])
  await refreshExamples(queryClient, datasetId)
  return statuses.filter(({ status }) => status === 'UPDATED').length
}

/** Copies examples with their attachments. @param target  name of a dataset; created if there is none */
export async function copyExamples(
  queryClient: QueryClient,
  datasetId: string,
  ids: readonly string[],
  target: string,
): Promise<void> {
  const [found] = await client.queryDatasets({ name: target, limit: 1 })
  const { id } = found ?? (await client.createDataset(target))
  await client.copyExamples({ sourceDatasetId: datasetId, targetDatasetId: id, exampleIds: [...ids] })
  await refreshExamples(queryClient, id)
}

/** Most ids in the URL of one request. */
const IDS_PER_REQUEST = 100

/** Saves examples as lines of JSON, as they are stored. */
export async function exportExamples(datasetId: string, ids: readonly string[]): Promise<void> {
  const lines: string[] = []
  for (let at = 0; at < ids.length; at += IDS_PER_REQUEST) {
    const query = {
      dataset: datasetId,
      id: ids.slice(at, at + IDS_PER_REQUEST),
      limit: IDS_PER_REQUEST,
      select: ['inputs', 'outputs', 'metadata'],
      exclude_default_fields: true,
    }
    const text = new TextDecoder().decode(await readBytes(routes.examples.list, { query }))
    for (const { from, to } of listMembers(text)) lines.push(text.slice(from, to))
  }
  saveFile('examples.jsonl', 'application/jsonl', [lines.map((line) => `${line}\n`).join('')])
}

/** Most examples that are selected at once. */
export const MAX_SELECTED = 20_000

/** Ids of all examples of a list, in its order. @throws Error when there are too many */
export async function readExampleIds(view: ExamplesView, count: number): Promise<string[]> {
  if (count > MAX_SELECTED) {
    throw new Error(`At most ${MAX_SELECTED.toLocaleString('en')} examples can be selected. Narrow the list first.`)
  }
  const ids: string[] = []
  for (let offset = 0; offset < count; offset += IDS_PER_REQUEST) {
    const page = await client.queryExamples({
      dataset: view.datasetId,
      ...view.conditions,
      ...view.order,
      select: ['id'],
      exclude_default_fields: true,
      offset,
      limit: IDS_PER_REQUEST,
    })
    ids.push(...page.map(({ id }) => id))
    if (page.length === 0) break
  }
  return ids
}

/** Refreshes everything that shows examples of a dataset, and its counts. */
export async function refreshExamples(queryClient: QueryClient, datasetId: string): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: queryKeys.datasets() })
  await queryClient.invalidateQueries({ queryKey: exampleQuery.ofDataset(datasetId) })
}
