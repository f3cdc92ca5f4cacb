import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type {
  EvaluatorAgreementRequest,
  EvaluatorPreview,
  SavedEvaluator,
  SavedEvaluatorChange,
  SavedEvaluatorVersion,
  SavedEvaluatorVersionWrite,
  SavedEvaluatorWrite,
} from '@touchstone/sdk'
import { clientOf, ExampleCalls, RunCalls, SavedEvaluatorCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, SavedEvaluatorCalls, RunCalls, ExampleCalls)

/** A row of an experiment as evaluators see it. */
export interface EvaluatorRow {
  readonly runId: string
  readonly name: string
  readonly values: {
    readonly inputs: unknown
    readonly outputs: unknown
    readonly reference_outputs: unknown
  }
}

/** Most rows of an experiment that a definition is tried on. */
const ROWS = 20

export const evaluatorQuery = {
  all: () => ['evaluators'] as const,
  /** By name, up to a thousand. */
  list: () =>
    queryOptions({
      queryKey: [...evaluatorQuery.all(), 'list'],
      queryFn: ({ signal }): Promise<SavedEvaluator[]> =>
        collect(client.listSavedEvaluators({ limit: 1000 }, { signal })),
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: [...evaluatorQuery.all(), 'one', id],
      queryFn: ({ signal }) => client.readSavedEvaluator(id, { signal }),
    }),
  /** The newest hundred versions, newest first. */
  versions: (id: string) =>
    queryOptions({
      queryKey: [...evaluatorQuery.all(), 'versions', id],
      queryFn: ({ signal }): Promise<SavedEvaluatorVersion[]> =>
        collect(client.listEvaluatorVersions(id, { limit: 100 }, { signal })),
    }),
  /** The newest rows of an experiment. */
  rows: (experimentId: string) =>
    queryOptions({
      queryKey: ['evaluator-rows', experimentId],
      queryFn: async ({ signal }) => {
        const select = ['id', 'name', 'inputs', 'outputs', 'reference_example_id']
        const query = { session: [experimentId], is_root: true, limit: ROWS, select }
        return (await client.queryRuns(query, { signal })).runs
      },
      staleTime: 60_000,
    }),
  /** A row as the server reads it: inputs and reference outputs are those of its example. */
  row: (run: { id: string; name: string; inputs?: unknown; outputs?: unknown; reference_example_id?: unknown }) =>
    queryOptions({
      queryKey: ['evaluator-row', run.id],
      queryFn: async ({ signal }): Promise<EvaluatorRow> => {
        const { id: runId, name, inputs, outputs, reference_example_id: exampleId } = run
        const example = typeof exampleId === 'string' ? await client.readExample(exampleId, { signal }) : undefined
        const reference_outputs = example?.outputs ?? null
        return { runId, name, values: { inputs: example?.inputs ?? inputs, outputs, reference_outputs } }
      },
      staleTime: 60_000,
      structuralSharing: false,
    }),
}

export const readEvaluator = (id: string): Promise<SavedEvaluator> => client.readSavedEvaluator(id)

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

export const evaluatorMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: (evaluator: SavedEvaluatorWrite) => client.createSavedEvaluator(evaluator),
    onSuccess: () => refresh(queryClient),
  }),
  update: (queryClient: QueryClient, id: string) => ({
    mutationFn: (change: SavedEvaluatorChange) => client.updateSavedEvaluator(id, change),
    onSuccess: () => refresh(queryClient),
  }),
  /** A refusal may mean that another version was saved meanwhile, so versions are read again. */
  addVersion: (queryClient: QueryClient, id: string) => ({
    mutationFn: (version: SavedEvaluatorVersionWrite) => client.createEvaluatorVersion(id, version),
    onSettled: () => refresh(queryClient),
  }),
  delete: (queryClient: QueryClient, id: string) => ({
    mutationFn: () => client.deleteSavedEvaluator(id),
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: evaluatorQuery.one(id).queryKey })
      return queryClient.invalidateQueries({ queryKey: evaluatorQuery.list().queryKey })
    },
  }),
  /** Runs a definition over a few rows and stores nothing. */
  preview: () => ({ mutationFn: (preview: EvaluatorPreview) => client.previewEvaluator(preview) }),
  /** Compares a version with the scores of people. */
  agreement: (id: string) => ({
    mutationFn: (request: EvaluatorAgreementRequest) => client.measureEvaluatorAgreement(id, request),
  }),
}

function refresh(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: evaluatorQuery.all() })
}
