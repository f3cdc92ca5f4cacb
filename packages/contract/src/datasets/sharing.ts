import { z } from 'zod'
import { ExperimentCells, ExperimentCellsQuery, ExperimentSearchQuery } from '../experiments/cells.ts'
import { ComparativeExperimentListQuery, ListedComparativeExperiment } from '../experiments/comparative.ts'
import { ExampleWithRuns, ExperimentRunsQuery, FeedbackDeltas, RunDeltasQuery } from '../experiments/experiments.ts'
import { ExperimentStatistics, ExperimentStatisticsQuery } from '../experiments/statistics.ts'
import { Feedback, FeedbackListQuery } from '../feedback/feedback.ts'
import { Project, ProjectListQuery } from '../projects/projects.ts'
import * as routes from '../routes.ts'
import { queryToolRoutes } from '../runs/query-tools.ts'
import { RunPage, RunQuery } from '../runs/runs.ts'
import { RunStats, RunStatsQuery } from '../runs/stats.ts'
import { PublicRun } from '../sharing/sharing.ts'
import { Uuid } from '../wire/ids.ts'
import { QueryFlag, queryTexts } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { Dataset, datasetId } from './datasets.ts'
import { Example, ExampleConditions, ExampleListQuery } from './examples.ts'

/** A dataset that anyone with the token may read. */
export const DatasetShare = z.object({ dataset_id: z.string(), share_token: z.string() })
export type DatasetShare = z.infer<typeof DatasetShare>

/** A dataset without the fields that public readers do not see. */
export const PublicDataset = Dataset.omit({
  tenant_id: true,
  session_count: true,
  last_session_start_time: true,
  last_session_id: true,
  modified_at: true,
  metadata: true,
}).extend({ example_count: z.int() })
export type PublicDataset = z.infer<typeof PublicDataset>

/** An experiment without the fields that public readers do not see. */
export const PublicProject = Project.omit({ tenant_id: true, default_dataset_id: true })

/** The source of an example is not shown. */
export const PublicExample = Example.omit({ source_run_id: true })

/** A run of a shared experiment: a shared run with the id of its experiment. */
export const PublicExperimentRun = PublicRun.extend({ session_id: z.string() })
export type PublicExperimentRun = z.infer<typeof PublicExperimentRun>

/** A run of a shared experiment with its feedback. */
export const PublicComparedRun = PublicExperimentRun.extend({ feedbacks: z.array(Feedback) })

/** Without fields that follow from the token, and without filters on other runs of the trace. */
export const PublicExperimentRunQuery = RunQuery.omit({ trace_filter: true, tree_filter: true, sort_by: true })
export type PublicExperimentRunQuery = z.output<typeof PublicExperimentRunQuery>

/**
 * Shared experiments to compare with a baseline: at most as many as a page compares. The number of bootstrap samples is
 * fixed, because anyone with the link may ask.
 */
export const PublicStatisticsQuery = ExperimentStatisticsQuery.omit({ resamples: true }).extend({
  comparison_session_ids: z
    .array(Uuid)
    .min(1)
    .max(5)
    .transform((ids) => [...new Set(ids)]),
})
export type PublicStatisticsQuery = z.output<typeof PublicStatisticsQuery>

export const PublicExampleListQuery = ExampleListQuery.omit({ dataset: true, source_run: true })
export const PublicExampleConditions = ExampleConditions.omit({ dataset: true, source_run: true })

const tag = 'dataset sharing'
/** Any text: a malformed token gets the answer of an unknown one. */
const withToken = z.object({ share_token: z.string() })

export const datasetSharingRoutes = describeRoutes(routes.datasetSharing, tag, {
  share: {
    summary: 'Share a dataset, and with `share_projects` its experiments, with everyone who has the token',
    params: datasetId,
    /** Absent: unchanged; a new share starts with false. */
    query: z.object({ share_projects: QueryFlag.optional() }),
    body: z.object({ dataset_id: z.string().nullish() }).nullish(),
    answer: DatasetShare,
  },
  readShare: {
    summary: 'The token of a dataset, or null while it is not shared',
    params: datasetId,
    answer: DatasetShare.nullable(),
  },
  unshare: {
    summary: 'Close a dataset again; its token is worth nothing from now on',
    params: datasetId,
    answer: z.null(),
  },
  publicDataset: {
    summary: 'The shared dataset',
    params: withToken,
    answer: PublicDataset,
  },
  publicExamples: {
    summary: 'Examples of the shared dataset',
    params: withToken,
    query: PublicExampleListQuery,
    answer: z.array(PublicExample),
  },
  publicExampleCount: {
    summary: 'How many examples of the shared dataset a list would have',
    params: withToken,
    query: PublicExampleConditions,
    answer: z.int(),
  },
  publicSessions: {
    summary: 'Experiments of the shared dataset; none unless they are shared too',
    params: withToken,
    query: ProjectListQuery,
    answer: z.array(PublicProject),
  },
  publicSessionsBulk: {
    summary: 'Experiments of several shared datasets',
    query: z.object({ share_tokens: queryTexts(z.string()) }),
    answer: z.array(PublicProject),
  },
  publicComparative: {
    summary: 'Comparisons of shared experiments',
    params: withToken,
    query: ComparativeExperimentListQuery,
    answer: z.array(ListedComparativeExperiment.omit({ tenant_id: true, reference_dataset_id: true })),
  },
  publicFeedback: {
    summary: 'Feedback on shared experiments and their runs, newest first',
    params: withToken,
    query: FeedbackListQuery,
    answer: z.array(Feedback),
  },
  publicRuns: {
    summary: 'Runs of shared experiments',
    params: withToken,
    body: PublicExperimentRunQuery,
    answer: RunPage.extend({ runs: z.array(PublicExperimentRun) }),
  },
  publicRunStats: {
    summary: 'Figures over the runs of shared experiments',
    params: withToken,
    body: RunStatsQuery.omit({ trace_filter: true, tree_filter: true }),
    answer: z.union([RunStats, z.record(z.string(), RunStats)]),
  },
  publicGenerateQuery: {
    summary: 'A filter for words: full-text search',
    params: withToken,
    body: queryToolRoutes.generate.body,
    answer: queryToolRoutes.generate.answer,
  },
  publicRun: {
    summary: 'One run of a shared experiment',
    params: z.object({ share_token: z.string(), run_id: Uuid }),
    query: z.object({ exclude_s3_stored_attributes: QueryFlag.optional() }),
    answer: PublicExperimentRun,
  },
  publicExampleRuns: {
    summary: 'Examples of the shared dataset with their runs in shared experiments',
    params: withToken,
    body: ExperimentRunsQuery,
    answer: z.array(ExampleWithRuns.omit({ source_run_id: true }).extend({ runs: z.array(PublicComparedRun) })),
  },
  publicDeltas: {
    summary: 'Examples on which shared experiments score better or worse than a baseline',
    params: withToken,
    body: RunDeltasQuery,
    answer: z.object({ feedback_deltas: FeedbackDeltas }),
  },
  publicStatistics: {
    extension: true,
    summary: 'Whether shared experiments score better than a baseline, with intervals, tests and a verdict',
    params: withToken,
    body: PublicStatisticsQuery,
    answer: ExperimentStatistics,
  },
  publicCells: {
    extension: true,
    summary: 'Runs and scores of shared experiments in columns, without texts',
    params: withToken,
    body: ExperimentCellsQuery,
    answer: ExperimentCells,
  },
  publicSearch: {
    extension: true,
    summary: 'Examples whose texts, or those of whose runs in shared experiments, contain a text',
    params: withToken,
    body: ExperimentSearchQuery,
    answer: z.object({ example_ids: z.array(z.string()) }),
  },
})
