import { z } from 'zod'
import { datasetId } from '../datasets/datasets.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { QueryFlag, queryList, strictPage } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { Time } from '../wire/time.ts'

/** Experiments over one dataset that evaluators compared. */
export const ComparativeExperiment = z.object({
  id: z.string(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  tenant_id: z.string(),
  reference_dataset_id: z.string(),
  created_at: z.string(),
  modified_at: z.string(),
  extra: JsonRecord.nullable(),
})
export type ComparativeExperiment = z.infer<typeof ComparativeExperiment>

/** Number and mean of the scores of an experiment in the comparison. */
export const ComparativeStat = z.object({
  /** Number of feedback records. */
  n: z.int(),
  /** Mean of their scores; null when none has one. */
  avg: z.number().nullable(),
})
export type ComparativeStat = z.infer<typeof ComparativeStat>

export const ListedComparativeExperiment = ComparativeExperiment.extend({
  /** In the order of creation; deleted experiments are left out. */
  experiments_info: z.array(z.object({ id: z.string(), name: z.string() })),
  /** Feedback key → experiment id → statistics. */
  feedback_stats: z.record(z.string(), z.record(z.string(), ComparativeStat)),
})
export type ListedComparativeExperiment = z.infer<typeof ListedComparativeExperiment>

/** All experiments are over one dataset: the named one, else that of the first. */
export const ComparativeExperimentCreate = z.object({
  id: Uuid.nullish(),
  experiment_ids: z.array(Uuid).min(1).max(50),
  reference_dataset_id: Uuid.nullish(),
  name: repairedText(1000).nullish(),
  description: repairedText().nullish(),
  created_at: Time.nullish(),
  modified_at: Time.nullish(),
  extra: JsonRecord.nullish(),
})
export type ComparativeExperimentCreate = z.output<typeof ComparativeExperimentCreate>

export const ComparativeExperimentListQuery = z.object({
  name: repairedText().optional(),
  name_contains: repairedText().optional(),
  id: queryList(Uuid),
  sort_by: z.enum(['created_at', 'name']).catch('created_at').default('created_at'),
  sort_by_desc: QueryFlag.default(true),
  ...strictPage,
})
export type ComparativeExperimentListQuery = z.output<typeof ComparativeExperimentListQuery>

const tag = 'comparative experiments'

export const comparativeExperimentRoutes = describeRoutes(routes.comparativeExperiments, tag, {
  create: {
    summary: 'Name experiments over one dataset that are compared with each other',
    body: ComparativeExperimentCreate,
    answer: ComparativeExperiment,
  },
  list: {
    summary: 'Comparisons over a dataset with what was thought of each side',
    params: datasetId,
    query: ComparativeExperimentListQuery,
    answer: z.array(ListedComparativeExperiment),
  },
  delete: {
    summary: 'Delete a comparison with its feedback; the experiments stay',
    params: z.object({ comparative_experiment_id: Uuid }),
    answer: z.null(),
  },
})
