import { z } from 'zod'
import { FeedbackKey, feedbackContent } from '../feedback/feedback.ts'
import { Project } from '../projects/projects.ts'
import * as routes from '../routes.ts'
import { CsvReader } from '../wire/csv.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { Time } from '../wire/time.ts'
import { Dataset, datasetId } from './datasets.ts'
import { Example } from './examples.ts'
import { AsOf } from './versions.ts'

/** Most rows of one uploaded file, and most results of one uploaded experiment. */
export const MAX_UPLOADED_ROWS = 100_000

export const EXPORT_FORMATS = ['csv', 'jsonl', 'openai', 'openai_ft'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const OneOrMore = z.union([z.string(), z.array(z.string())])

/** Copies into the target with new ids; without `examples` and `split`, all examples of the version. */
export const DatasetClone = z.object({
  source_dataset_id: Uuid,
  target_dataset_id: Uuid,
  as_of: AsOf.nullish(),
  examples: z.array(Uuid).nullish(),
  split: OneOrMore.nullish(),
})
export type DatasetClone = z.output<typeof DatasetClone>

/** A score that was given where the experiment ran. */
export const UploadedScore = z.object({ key: FeedbackKey, ...feedbackContent })
export type UploadedScore = z.output<typeof UploadedScore>

export const UploadedResult = z.object({
  /** Id of the example; without it, the row matches the example with equal inputs. */
  row_id: Uuid.nullish(),
  inputs: JsonRecord,
  expected_outputs: JsonRecord.nullish(),
  actual_outputs: JsonRecord.nullish(),
  evaluation_scores: z.array(UploadedScore).nullish(),
  start_time: Time,
  end_time: Time,
  run_name: z.string().nullish(),
  error: z.string().nullish(),
  run_metadata: JsonRecord.nullish(),
})
export type UploadedResult = z.output<typeof UploadedResult>

/**
 * An experiment that ran elsewhere. An unknown dataset is created; an existing one must have been created by an upload.
 */
export const ExperimentUpload = z
  .object({
    experiment_name: repairedText(1000).min(1),
    experiment_description: repairedText().nullish(),
    experiment_metadata: JsonRecord.nullish(),
    experiment_start_time: Time,
    experiment_end_time: Time,
    /** An unknown id creates a dataset with another id, which later uploads find by this one. */
    dataset_id: Uuid.nullish(),
    dataset_name: repairedText().min(1).nullish(),
    dataset_description: repairedText().nullish(),
    results: z.array(UploadedResult).max(MAX_UPLOADED_ROWS),
    /** Scores of the whole experiment. */
    summary_experiment_scores: z.array(UploadedScore).nullish(),
  })
  .refine((given) => given.dataset_id != null || given.dataset_name != null, {
    error: 'or dataset_name is required',
    path: ['dataset_id'],
  })
export type ExperimentUpload = z.output<typeof ExperimentUpload>

const exportParts = { params: datasetId, query: z.object({ as_of: AsOf.optional(), for: CsvReader.optional() }) }

export const datasetFileRoutes = describeRoutes(routes.datasetFiles, 'datasets', {
  upload: {
    maxBodyBytes: 'configured',
    summary: 'Create a dataset from a CSV or JSONL file; all rows are one version, or none is stored',
    bodyType: 'multipart/form-data',
    answer: Dataset,
  },
  append: {
    maxBodyBytes: 'configured',
    tag: 'examples',
    summary: 'Add the rows of a CSV or JSONL file to a dataset, all or none',
    params: datasetId,
    bodyType: 'multipart/form-data',
    answer: z.array(Example),
  },
  clone: {
    summary: 'Copy examples of a version, with their attachments, into another dataset',
    body: DatasetClone,
    answer: z.array(Example),
  },
  uploadExperiment: {
    maxBodyBytes: 'configured',
    summary: 'Record an experiment that ran elsewhere, with its dataset, runs and scores',
    body: ExperimentUpload,
    answer: z.object({ dataset: Dataset, experiment: Project }),
  },
  csv: {
    summary: 'Examples as a CSV file: id, inputs, outputs, metadata; `for=spreadsheet` disarms formulas',
    ...exportParts,
  },
  jsonl: { summary: 'Examples as lines of JSON', ...exportParts },
  openai: { summary: 'Examples as lines of OpenAI evals: input and ideal', ...exportParts },
  openaiFineTuning: { summary: 'Examples as chats, a line each, as OpenAI fine-tuning takes them', ...exportParts },
})
