import { z } from 'zod'
import { datasetId } from '../datasets/datasets.ts'
import * as routes from '../routes.ts'
import { RunStatus } from '../runs/runs.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'

/** Most runs of one answer. */
export const MAX_CELLS = 300_000

/** Most experiments of one answer. */
const MAX_EXPERIMENTS = 10

export const ExperimentCellsQuery = z.object({
  session_ids: z
    .array(Uuid)
    .min(1)
    .max(MAX_EXPERIMENTS)
    .transform((ids) => [...new Set(ids)]),
  /** Includes feedback of this comparison; otherwise comparative feedback is left out. */
  comparative_experiment_id: Uuid.nullish(),
})
export type ExperimentCellsQuery = z.output<typeof ExperimentCellsQuery>

/** Columns over the root runs of an experiment: the same index is the same run, ordered by start. */
export const CellRuns = z.object({
  id: z.array(z.string()),
  /** Index in `example_ids`. */
  example: z.array(z.int()),
  /** Number of the repetition of the example, from 0. */
  repetition: z.array(z.int()),
  status: z.array(RunStatus),
  /** Index in `errors` of the answer; null without an error. */
  error: z.array(z.int().nullable()),
  start_time: z.array(z.string()),
  /** Null while the run is not finished. */
  latency_ms: z.array(z.number().nullable()),
  /** Of the whole trace. */
  total_tokens: z.array(z.int().nullable()),
  /** Of the whole trace, in US dollars; null when no price is known. */
  total_cost: z.array(z.number().nullable()),
  /** The part of `total_cost` that the client, a provider or an emitter reported, because no price is known; null: none. */
  reported_cost: z.array(z.number().nullable()),
})
export type CellRuns = z.infer<typeof CellRuns>

/** Feedback with one key on the runs of an experiment; the same index as in `CellRuns` is the same run. */
export const CellScores = z.object({
  key: z.string(),
  /** Mean of the scores of the run; null without a score. */
  scores: z.array(z.number().nullable()),
  /** Number of scores of each run; null when no run has more than one. */
  counts: z.array(z.int()).nullable(),
  /** Index in `labels` of the key, of the last record with a label. Null when the values are not categories. */
  labels: z.array(z.int().nullable()).nullable(),
  /** Indices of runs whose evaluator failed. */
  failed: z.array(z.int()),
})
export type CellScores = z.infer<typeof CellScores>

/**
 * Runs and scores of experiments in columns, without texts, for filters, counts and sorting in the client.
 * `POST /datasets/{dataset_id}/runs` reads the texts of a page.
 */
export const ExperimentCells = z.object({
  /**
   * Examples with a run in any of the experiments: those of the newest dataset version, the last changed first, then
   * deleted ones.
   */
  example_ids: z.array(z.string()),
  /** Number of examples at the end of `example_ids` that are no longer in the dataset. */
  deleted_count: z.int(),
  /** Splits of each example; empty for a deleted one. */
  splits: z.array(z.array(z.string())),
  /** First lines of errors, at most 200 characters each. */
  errors: z.array(z.string()),
  experiments: z.array(z.object({ id: z.string(), name: z.string(), runs: CellRuns, feedback: z.array(CellScores) })),
  /** Keys in alphabetical order, 100 at most. */
  keys: z.array(
    z.object({
      key: z.string(),
      is_lower_score_better: z.boolean(),
      /** Values of the feedback; empty for free text: more than 50 different values or more than 100 characters. */
      labels: z.array(z.string()),
    }),
  ),
  omitted_keys: z.array(z.string()),
  /** Requested ids without an experiment over this dataset. */
  missing_session_ids: z.array(z.string()),
})
export type ExperimentCells = z.infer<typeof ExperimentCells>

/** Examples satisfy both the text and the filter; one of them is required. */
export const ExperimentSearchQuery = ExperimentCellsQuery.pick({ session_ids: true })
  .extend({
    /** In any case, anywhere in the text. */
    text: z.string().min(1).max(1000).nullish(),
    /** Filter language over `EXAMPLE_FILTERS`, for example `eq(metadata.topic, "auth")`. */
    filter: z.string().trim().min(1).max(10_000).nullish(),
  })
  .refine(({ text, filter }) => text != null || filter != null, 'needs a text or a filter')
export type ExperimentSearchQuery = z.output<typeof ExperimentSearchQuery>

export const experimentCellsRoutes = describeRoutes(routes.experimentCells, 'experiments', {
  read: {
    extension: true,
    summary: 'Runs and scores of experiments in columns, without texts',
    params: datasetId,
    body: ExperimentCellsQuery,
    answer: ExperimentCells,
  },
  search: {
    extension: true,
    summary:
      'Examples whose inputs or reference, or the output or error of one of whose runs, contain a text; and examples by metadata',
    params: datasetId,
    body: ExperimentSearchQuery,
    answer: z.object({ example_ids: z.array(z.string()) }),
  },
})
