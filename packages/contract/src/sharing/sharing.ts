import { z } from 'zod'
import { Feedback, FeedbackListQuery } from '../feedback/feedback.ts'
import { type FilterSurface, RUN_FILTERS } from '../filter/index.ts'
import * as routes from '../routes.ts'
import { Run, RunConditions } from '../runs/runs.ts'
import { PublicTraceColumns, PublicTraceTree } from '../traces/traces.ts'
import { Uuid } from '../wire/ids.ts'
import { QueryFlag, queryList, shortList } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'

/** A run that everyone with the token may read, with all runs below it. */
export const RunShare = z.object({ run_id: z.string(), share_token: z.string() })
export type RunShare = z.infer<typeof RunShare>

/** Fields of a run that are hidden from public readers: project, retention, and times of other runs. */
const PRIVATE_RUN_FIELDS = {
  session_id: true,
  app_path: true,
  share_token: true,
  in_dataset: true,
  last_queued_at: true,
  reference_dataset_id: true,
  thread_id: true,
  trace_tier: true,
  trace_upgrade: true,
  ttl_seconds: true,
  trace_min_start_time: true,
  trace_max_start_time: true,
} as const satisfies Partial<Record<keyof Run, true>>

/** The fields of a run that public readers see. */
export const PublicRun = Run.omit(PRIVATE_RUN_FIELDS)
export type PublicRun = z.infer<typeof PublicRun>

export const PUBLIC_RUN_FIELDS = Object.keys(PublicRun.shape) as readonly (keyof PublicRun)[]

/**
 * Conditions on shared runs. `filter` and `search_filter` apply to the shared runs alone. `trace_filter` and `tree_filter`
 * are not supported, because they read runs that were not shared.
 */
export const PublicRunQuery = RunConditions.pick({
  id: true,
  run_type: true,
  is_root: true,
  start_time: true,
  end_time: true,
  error: true,
  filter: true,
  search_filter: true,
  query: true,
  parent_run: true,
  execution_order: true,
})
  .extend({ select: shortList(z.string(), 1000).nullish(), order: z.enum(['asc', 'desc']).nullish() })
  .nullish()
export type PublicRunQuery = z.output<typeof PublicRunQuery>

/** Fields that shared runs can be filtered by: those that public readers see. */
export const PUBLIC_RUN_FILTERS: FilterSurface = {
  ...RUN_FILTERS,
  fields: Object.fromEntries(
    Object.entries(RUN_FILTERS.fields).filter(([name]) => !Object.hasOwn(PRIVATE_RUN_FIELDS, name)),
  ),
}

export const PublicRunPage = z.object({
  runs: z.array(PublicRun),
  /** There is only one page, so `next` is null. */
  cursors: z.object({ next: z.null(), prev: z.null() }),
  search_cursors: z.null(),
  parsed_query: z.null(),
})

export const SharedRunEntity = z.object({
  type: z.literal('run'),
  share_token: z.string(),
  created_at: z.string(),
  run_id: z.string(),
  run_name: z.string(),
  run_type: z.string(),
  session_id: z.string(),
  session_name: z.string(),
})

export const SharedDatasetEntity = z.object({
  type: z.literal('dataset'),
  share_token: z.string(),
  created_at: z.string(),
  dataset_id: z.string(),
  dataset_name: z.string(),
  /** True if its experiments are shared too. */
  shares_projects: z.boolean(),
})

export const SharedThreadEntity = z.object({
  type: z.literal('thread'),
  share_token: z.string(),
  created_at: z.string(),
  thread_id: z.string(),
  session_id: z.string(),
  session_name: z.string(),
})

/** A run, dataset or thread of the workspace that is shared publicly. */
export const SharedEntity = z.discriminatedUnion('type', [SharedRunEntity, SharedDatasetEntity, SharedThreadEntity])
export type SharedEntity = z.infer<typeof SharedEntity>

const tag = 'sharing'
const ofRun = z.object({ run_id: Uuid })
/** Any text: an invalid token gets the response of an unknown one. */
const withToken = z.object({ share_token: z.string() })

export const sharingRoutes = describeRoutes(routes.sharing, tag, {
  shareRun: {
    summary: 'Share a run and all runs below it with everyone who has the token',
    params: ofRun,
    body: z.object({ run_id: z.string().nullish(), share_token: z.string().nullish() }).nullish(),
    answer: RunShare,
  },
  readRunShare: {
    summary: 'The token of a run, or null while it is not shared',
    params: ofRun,
    answer: RunShare.nullable(),
  },
  unshareRun: {
    summary: 'Stop sharing a run; its token becomes invalid',
    params: ofRun,
  },
  publicRun: {
    summary: 'The shared run',
    params: withToken,
    query: z.object({ exclude_s3_stored_attributes: QueryFlag.optional() }),
    answer: PublicRun,
  },
  publicRunById: {
    summary: 'The shared run or one below it',
    params: z.object({ share_token: z.string(), run_id: Uuid }),
    query: z.object({ exclude_s3_stored_attributes: QueryFlag.optional() }),
    answer: PublicRun,
  },
  publicRuns: {
    summary: 'The shared run and all below it, or those of the ids given',
    params: withToken,
    query: z.object({ id: queryList(Uuid) }),
    answer: z.array(PublicRun),
  },
  publicRunsMisspelt: {
    summary: 'The same list for the public JavaScript client, whose URL lacks the question mark',
    params: z.object({ share_token: z.string(), query_text: z.string() }),
    answer: z.array(PublicRun),
  },
  publicRunQuery: {
    summary: 'The shared run and all below it, narrowed by conditions',
    params: withToken,
    body: PublicRunQuery,
    answer: PublicRunPage,
  },
  publicTraceRuns: {
    extension: true,
    summary: 'The shared run and all below it, without payloads',
    params: withToken,
    answer: PublicTraceTree,
  },
  publicTraceRunColumns: {
    extension: true,
    summary: 'The shared run and all below it, without payloads, in columns',
    params: withToken,
    answer: PublicTraceColumns,
  },
  publicTraceRunsAtOldPath: {
    extension: true,
    deprecated: true,
    summary: 'The same as `GET /public/{share_token}/trace/runs`, which replaces it',
    params: withToken,
    answer: PublicTraceTree,
  },
  publicFeedback: {
    summary: 'Feedback on the shared run and all below it, newest first',
    params: withToken,
    query: FeedbackListQuery,
    answer: z.array(Feedback),
  },
  publicSchema: {
    summary: 'JSON Schema of a message or a tool: v1/message.json, v1/tooldef.json',
    params: z.object({ version: z.string(), file: z.string() }),
    answer: z.record(z.string(), z.unknown()),
  },
  listShared: {
    summary: 'Everything that the workspace shares publicly, newest first',
    answer: z.object({ entities: z.array(SharedEntity) }),
  },
  unshare: {
    summary: 'Revoke some tokens, or all of them',
    body: z.object({ share_tokens: z.array(z.string()).nullish(), unshare_all: z.boolean().nullish() }).nullish(),
  },
})
