import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ExampleWithRuns, TracerSessionResult as Project } from '@touchstone/sdk'
import { clientOf, ExperimentCalls, ProjectCalls } from '@touchstone/sdk/api'
import { openDatasetLink } from '#features/datasets/sharing/public-datasets.ts'
import { connection } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import { type Batches, createBatches } from '#lib/batches.ts'
import { toComparisonCells } from './logic/comparison.ts'
import { toRowTexts } from './logic/row-texts.ts'

const client = clientOf(connection, ExperimentCalls, ProjectCalls)

export interface ComparisonView {
  readonly datasetId: string
  readonly experimentIds: readonly string[]
  readonly comparativeExperimentId?: string | undefined
  /** Token of the share link to read through, without credentials. */
  readonly share?: string | undefined
}

export interface ComparisonSearch {
  readonly text: string
  readonly filter: string
}

/** Examples whose texts are read with one request. */
const TEXTS_AT_ONCE = { preview: 50, whole: 10 }
/** Rows that scroll past faster are not read. */
const COLLECT_MS = 40

export const comparisonQuery = {
  ofDataset: (datasetId: string) => [...queryKeys.datasets(), 'comparison', datasetId] as const,

  /** Runs and scores of the experiments in columns, without texts. */
  cells: ({ datasetId, experimentIds, comparativeExperimentId, share }: ComparisonView) =>
    queryOptions({
      queryKey: [...comparisonQuery.ofDataset(datasetId), 'cells', experimentIds, comparativeExperimentId, share],
      queryFn: async ({ signal }) =>
        toComparisonCells(
          await (share === undefined
            ? client.readExperimentCells(
                { datasetId, experimentIds: [...experimentIds], comparativeExperimentId },
                { signal },
              )
            : openDatasetLink(share).readExperimentCells(
                { experimentIds: [...experimentIds], comparativeExperimentId },
                { signal },
              )),
        ),
      enabled: experimentIds.length > 0,
      structuralSharing: false,
      staleTime: 30_000,
      placeholderData: keepPreviousData,
    }),

  /** Ids of the examples that contain the text and satisfy the filter of examples; '' for none. */
  search: ({ datasetId, experimentIds, share }: ComparisonView, { text, filter }: ComparisonSearch) =>
    queryOptions({
      queryKey: [...comparisonQuery.ofDataset(datasetId), 'search', experimentIds, text, filter, share],
      queryFn: async ({ signal }): Promise<ReadonlySet<string>> => {
        const query = { experimentIds: [...experimentIds], text: text || undefined, filter: filter || undefined }
        return new Set(
          await (share === undefined
            ? client.searchExperiments({ datasetId, ...query }, { signal })
            : openDatasetLink(share).searchExperiments(query, { signal })),
        )
      },
      enabled: text !== '' || filter !== '',
      structuralSharing: false,
      staleTime: 30_000,
      placeholderData: keepPreviousData,
    }),

  /** The experiments with their figures and metadata, by id. */
  experiments: ({ datasetId, experimentIds, share }: ComparisonView) =>
    queryOptions({
      queryKey: [...comparisonQuery.ofDataset(datasetId), 'experiments', experimentIds, share],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, Project>> => {
        const query = { id: [...experimentIds], include_stats: true, limit: experimentIds.length }
        const found = await (share === undefined
          ? client.queryProjects(query, { signal })
          : openDatasetLink(share).queryExperiments(query, { signal }))
        return new Map(found.map((project) => [project.id, project]))
      },
      enabled: experimentIds.length > 0,
      structuralSharing: false,
      staleTime: 30_000,
      placeholderData: keepPreviousData,
    }),

  /** Experiments over the dataset whose name contains the text, newest first. */
  choices: (datasetId: string, text: string) =>
    queryOptions({
      queryKey: [...comparisonQuery.ofDataset(datasetId), 'choices', text],
      queryFn: ({ signal }) =>
        client.queryProjects(
          { reference_dataset: [datasetId], name_contains: text || undefined, limit: 50 },
          { signal },
        ),
      placeholderData: keepPreviousData,
    }),

  /**
   * The beginnings of the texts of one example and its runs. Rows that appear together are read together.
   *
   * @param stamp  changes with the runs of the example, so that new ones are read
   */
  texts: (view: ComparisonView, exampleId: string, stamp: string) =>
    queryOptions({
      queryKey: [
        ...comparisonQuery.ofDataset(view.datasetId),
        'texts',
        view.experimentIds,
        exampleId,
        stamp,
        view.share,
      ],
      queryFn: async ({ signal }) => {
        const found = await getBatches(view, 'preview').load(exampleId, signal)
        return found === undefined ? null : toRowTexts(found)
      },
      staleTime: 60_000,
      meta: { quiet: true },
    }),

  /** One example and its runs with whole inputs and outputs; null for a deleted example. */
  whole: (view: ComparisonView, exampleId: string, stamp: string) =>
    queryOptions({
      queryKey: [
        ...comparisonQuery.ofDataset(view.datasetId),
        'whole',
        view.experimentIds,
        exampleId,
        stamp,
        view.share,
      ],
      queryFn: async ({ signal }) => (await getBatches(view, 'whole').load(exampleId, signal)) ?? null,
      structuralSharing: false,
      staleTime: 60_000,
      gcTime: 60_000,
      meta: { quiet: true },
    }),
}

/** Ids that are being collected, by what is read. */
const batches = new Map<string, Batches<ExampleWithRuns>>()

function getBatches(view: ComparisonView, kind: 'preview' | 'whole'): Batches<ExampleWithRuns> {
  const key = JSON.stringify([view, kind])
  const known = batches.get(key)
  if (known !== undefined) return known
  const created = createBatches((ids) => readExamples(view, ids, kind === 'preview'), {
    max: TEXTS_AT_ONCE[kind],
    waitMs: COLLECT_MS,
  })
  batches.set(key, created)
  return created
}

async function readExamples(
  { datasetId, experimentIds, comparativeExperimentId, share }: ComparisonView,
  ids: readonly string[],
  preview: boolean,
): Promise<Map<string, ExampleWithRuns>> {
  const query = {
    session_ids: [...experimentIds],
    example_ids: [...ids],
    comparative_experiment_id: comparativeExperimentId,
    limit: ids.length,
    preview,
  }
  const found = await (share === undefined
    ? client.queryExamplesWithRuns(datasetId, query)
    : openDatasetLink(share).queryExamplesWithRuns(query))
  return new Map(found.map((example) => [example.id, example]))
}
