import { z } from 'zod'
import { DATASET_SORTS, Dataset, DatasetListQuery } from '../datasets/datasets.ts'
import { FeedbackStat } from '../feedback/feedback.ts'
import * as routes from '../routes.ts'
import { pageSize } from '../runs/v2.ts'
import { Uuid } from '../wire/ids.ts'
import { QueryFlag, queryList, queryTexts } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'
import { Project } from './projects.ts'

export const PROJECT_TYPES = ['PROJECT', 'AGENT', 'EXPERIMENT'] as const
export type ProjectType = (typeof PROJECT_TYPES)[number]

const PROJECT_V2_SORTS = [
  'NAME',
  'START_TIME',
  'LAST_RUN_START_TIME',
  'ERROR_RATE',
  'LATENCY_P50',
  'LATENCY_P99',
  'FEEDBACK',
] as const

const upperCase = (text: unknown) => (typeof text === 'string' ? text.toUpperCase() : text)
const sort_order = z.enum(['asc', 'desc']).default('desc')
/** Of the previous page. A cursor counts rows: rows added or moved between two pages may be skipped or repeated. */
const cursor = z.string().optional()
const page_size = pageSize(100, 20)
/** This server has no such tags: any value returns an empty list. */
const tag_value_id = queryList(Uuid)

export const ProjectV2ListQuery = z
  .object({
    /** @default all */
    type: queryList(z.preprocess(upperCase, z.enum(PROJECT_TYPES))),
    id: queryList(Uuid),
    name: z.string().optional(),
    name_contains: z.string().optional(),
    /** A JSON object as text; projects whose `extra.metadata` contains it. */
    metadata: z.string().optional(),
    filter: z.string().optional(),
    reference_dataset_id: queryList(Uuid),
    dataset_version: z.string().optional(),
    tag_value_id,
    include_stats: QueryFlag.default(false),
    /** Names of statistics. @default all */
    stats_select: queryTexts(z.string()).transform((names) => names?.map((name) => name.toLowerCase())),
    stats_filter: z.string().optional(),
    /** At most 31 days ago. @default all runs */
    stats_start_time: Time.optional(),
    /** Ignored: statistics are always exact. */
    use_approx_stats: QueryFlag.default(false),
    include_facets: QueryFlag.default(false),
    sort_by: z.preprocess(upperCase, z.enum(PROJECT_V2_SORTS).default('START_TIME')),
    sort_by_feedback_key: z.string().optional(),
    sort_by_feedback_source: z.preprocess(upperCase, z.enum(['RUN', 'SESSION']).default('RUN')),
    sort_order,
    page_size,
    cursor,
  })
  .refine((query) => query.sort_by !== 'FEEDBACK' || (query.sort_by_feedback_key && query.reference_dataset_id), {
    message: 'FEEDBACK needs sort_by_feedback_key and reference_dataset_id',
    path: ['sort_by'],
  })
export type ProjectV2ListQuery = z.output<typeof ProjectV2ListQuery>

const FeedbackStatV2 = FeedbackStat.extend({
  /** This server does not compute composite scores. */
  type: z.literal('PRIMARY'),
  median: z.null(),
})
const feedbackStats = z.record(z.string(), FeedbackStatV2).nullable().optional()
const cost = z.number().nullable().optional()

/** A project as generated clients read it: costs are numbers, the tier is in upper case. */
export const ProjectV2 = Project.extend({
  type: z.enum(PROJECT_TYPES),
  trace_tier: z.enum(['LONG_LIVED', 'SHORT_LIVED']).nullable(),
  total_cost: cost,
  prompt_cost: cost,
  completion_cost: cost,
  feedback_stats: feedbackStats,
  session_feedback_stats: feedbackStats,
})
export type ProjectV2 = z.infer<typeof ProjectV2>

export const DatasetV2ListQuery = DatasetListQuery.omit({ offset: true, limit: true, sort_by_desc: true }).extend({
  sort_by: z.enum(DATASET_SORTS).default('last_session_start_time'),
  tag_value_id,
  sort_order,
  page_size,
  cursor,
})
export type DatasetV2ListQuery = z.output<typeof DatasetV2ListQuery>

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable() })

const tag = 'v2'

export const projectV2Routes = describeRoutes(routes.projectsV2, tag, {
  list: {
    summary: 'Projects and experiments, a page at a time',
    query: ProjectV2ListQuery,
    answer: pageOf(ProjectV2),
  },
})

export const datasetV2Routes = describeRoutes(routes.datasetsV2, tag, {
  list: {
    summary: 'Datasets, a page at a time',
    query: DatasetV2ListQuery,
    answer: pageOf(Dataset),
  },
})
