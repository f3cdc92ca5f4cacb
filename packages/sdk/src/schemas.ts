import type * as wire from '@touchstone/contract'
import type { RouteAnswer, RouteBody, RouteQuery } from '@touchstone/contract'
import type * as routes from '@touchstone/contract/routes'
import type { AgentAddress } from './tracing/address.ts'

/*
 * The types of the API under the public names, taken from the contract. Times are ISO 8601 UTC with six fractional
 * digits; costs are decimal strings in US dollars, null when unknown. The build prints them as plain declarations, so
 * that the published package needs neither the contract nor zod.
 */

/** A wire type as programs read it: payloads are `any`, as in `KVMap`. */
type Public<T> = unknown extends T
  ? // biome-ignore lint/suspicious/noExplicitAny: see `KVMap`
    any
  : T extends readonly unknown[] | object
    ? { [Name in keyof T]: Public<T[Name]> }
    : T

/** A wire type of which only some members are certain: other servers of this API leave out the rest. */
type Sparse<T, Certain extends keyof T> = Public<Pick<T, Certain>> & Loose<Omit<T, Certain>>
type Loose<T> = { [Name in keyof T]?: Public<T[Name]> | undefined }

type Body<Route extends wire.PlainRoute> = Public<RouteBody<Route>>
type Query<Route extends wire.PlainRoute> = Public<RouteQuery<Route>>
type Answer<Route extends wire.PlainRoute> = Public<RouteAnswer<Route>>

/** `metadata` as an object, where the query string has it as JSON text. */
type WithMetadata<T> = Omit<T, 'metadata'> & { metadata?: KVMap | undefined }

/** A user's own payload. `any`, as in the public package: code that reads `run.outputs.answer` must keep compiling. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type KVMap = Record<string, any>

/** `[mime type, bytes]`, or the same with names. */
export type AttachmentData = Uint8Array | ArrayBuffer

export type AttachmentDescription = { mimeType: string; data: AttachmentData }

export type Attachments = Record<string, [string, AttachmentData] | AttachmentDescription>

export interface TimeDelta {
  days?: number | undefined
  hours?: number | undefined
  minutes?: number | undefined
}

/** Token counts as a run's outputs or metadata carry them; cached and reasoning tokens are included in the totals. */
export interface UsageMetadata {
  input_tokens: number
  output_tokens: number
  total_tokens: number
  input_token_details?: Record<string, number> | undefined
  output_token_details?: Record<string, number> | undefined
  input_cost?: number | undefined
  output_cost?: number | undefined
  total_cost?: number | undefined
  input_cost_details?: Record<string, number> | undefined
  output_cost_details?: Record<string, number> | undefined
}

/** What a retriever run should output. */
export type RetrieverOutput = { page_content: string; type: 'Document'; metadata?: KVMap | undefined }[]

/** What `getInvocationParams` returns; read by cost computation and the run page. */
export interface InvocationParamsSchema {
  ls_model_type: 'chat' | 'llm'
  ls_provider?: string | undefined
  ls_model_name?: string | undefined
  ls_temperature?: number | undefined
  ls_max_tokens?: number | undefined
  ls_stop?: string[] | undefined
  ls_invocation_params?: KVMap | undefined
}

export type RunType = Public<wire.RunType>
export type RunStatus = Public<wire.RunStatus>
export type SignedUrl = Public<wire.SignedUrl>

/** A route of the API, such as `{ method: 'GET', path: '/runs/{run_id}' }`. Its family is `v1` unless it names another. */
export type ApiRoute = Sparse<Pick<wire.PlainRoute, 'method' | 'path' | 'family'>, 'method' | 'path'>

/** One recorded step. Tokens and costs are those of its whole subtree. */
export type Run = Public<Omit<wire.Run, 'inputs'>> & {
  /** Absent when a `select` leaves it out, as any payload is. */
  inputs: KVMap
  /** Filled by `readRun` with `loadChildRuns`. */
  child_runs?: Run[] | undefined
}

/** Fields that every write of a run may carry. */
export interface BaseRun {
  id?: string | undefined
  name?: string | undefined
  /** Usually one of `RunType`; others are stored as `chain`. */
  run_type?: string | undefined
  /** ISO text or epoch milliseconds. */
  start_time?: string | number | undefined
  end_time?: string | number | undefined
  inputs?: KVMap | undefined
  outputs?: KVMap | undefined
  error?: string | undefined
  /** `{ metadata, runtime, … }` */
  extra?: KVMap | undefined
  serialized?: object | undefined
  events?: KVMap[] | undefined
  tags?: string[] | undefined
  trace_id?: string | undefined
  dotted_order?: string | undefined
  parent_run_id?: string | undefined
  reference_example_id?: string | undefined
  attachments?: Attachments | undefined
  session_id?: string | undefined
  session_name?: string | undefined
}

export interface RunCreate extends BaseRun {
  name: string
  run_type: string
  inputs: KVMap
  project_name?: string | undefined
  revision_id?: string | undefined
  /** Names the project of an agent's environment in place of a project. */
  address?: AgentAddress | undefined
  child_runs?: RunCreate[] | undefined
}

/** What is left out stays as it is. */
export interface RunUpdate extends BaseRun {
  project_name?: string | undefined
  /** Names the project of an agent's environment in place of a project. */
  address?: AgentAddress | undefined
}

/** Body of `POST /runs/query`; conditions combine with AND. */
export type RunQuery = Body<typeof routes.runs.query>

export type RunPage = { runs: Run[] } & Pick<Public<wire.RunPage>, 'cursors'>

export type TraceRun = Public<wire.TraceRun>
export type TraceTree = Public<wire.TraceTree>
export type PublicTraceTree = Public<wire.PublicTraceTree>
export type TraceRunArrays = wire.TraceRunArrays
/** The runs of a trace as columns, in the order of `TraceTree`. */
export type TraceColumns = Omit<TraceTree, 'runs'> & { runs: TraceRunArrays }
/** Conditions on the runs that a share link opens. */
export type PublicRunQuery = NonNullable<Body<typeof routes.sharing.publicRunQuery>>
export type Resolved = Public<wire.Resolved>
/** Traces of a project, or every trace in which a run has all of the metadata. */
export type RunDeletion = Body<typeof routes.runDeletions.delete>
export type DeletionCount = Public<wire.DeletionCount>

export type RunStats = Public<wire.RunStats>
export type RunFacet = Public<wire.RunFacet>
export type RunGrouping = Public<wire.RunGrouping>
export type Bucket = Public<wire.Bucket>
export type RunHistogram = Public<wire.RunHistogram>
export type RunSeries = Public<wire.RunSeries>
export type SeriesPoint = Public<wire.SeriesPoint>
export type SeriesFigures = Public<wire.SeriesFigures>
export type RunFacets = Public<wire.RunFacets>
export type RunErrors = Public<wire.RunErrors>
export type RunErrorGroup = Public<wire.RunErrorGroup>
export type RunValues = Public<wire.RunValues>
export type RunValuePath = Public<wire.RunValuePath>
export type RunConditions = Omit<RunQuery, 'select' | 'limit' | 'cursor' | 'sort_by' | 'order' | 'skip_pagination'>
export type RunStatsQuery = Body<typeof routes.runStats.stats>
export type RunHistogramQuery = Body<typeof routes.runSeries.histogram>
export type RunSeriesQuery = Body<typeof routes.runSeries.series>
export type RunFacetsQuery = Body<typeof routes.runSeries.facets>
export type RunErrorsQuery = Body<typeof routes.runErrors.query>
export type RunValuesQuery = Body<typeof routes.runValues.query>

/** The threads of a project as `listGroupRuns` gives them. */
export type Thread = Omit<Public<wire.ThreadGroup>, 'group_key' | 'feedback_stats'> & {
  group_key?: string | undefined
  feedback_stats: Record<string, FeedbackStat> | null
}
export type ThreadQuery = Body<typeof routes.threadsV2.query>
export type ThreadSummary = Public<wire.ThreadV2>
export type ThreadSummaryPage = Answer<typeof routes.threadsV2.query>
export type ThreadTotalsQuery = Body<typeof routes.threadsV2.totals>
export type ThreadTotals = Public<wire.ThreadTotals>

/** A thread with its runs. */
export type ListThreadsItem = Thread & { runs: Run[] }

export type SqlDataType = Public<wire.SqlDataType>
export type SqlResult = Public<wire.SqlResult>

/** A project. */
export type TracerSession = Public<Pick<wire.Project, ProjectField>>
type ProjectField =
  | 'id'
  | 'tenant_id'
  | 'name'
  | 'description'
  | 'start_time'
  | 'end_time'
  | 'extra'
  | 'reference_dataset_id'
  | 'default_dataset_id'
  | 'trace_tier'
  | 'last_run_start_time_live'

/** A project with its figures: null unless statistics were asked for. Latencies are seconds, rates 0–1. */
export type TracerSessionResult = Sparse<wire.Project, ProjectField>
/** Query of `GET /sessions`. */
export type ProjectQuery = WithMetadata<Query<typeof routes.projects.list>>
export type ProjectSort = NonNullable<ProjectQuery['sort_by']>
export type ExperimentProgress = Public<wire.ExperimentProgress>

export type Agent = Public<wire.Agent>
export type AgentEnvironment = Agent['environments'][number]
export type AgentType = 'CUSTOM' | 'CODING'
export type AgentSourceType = 'LSD' | 'MDA' | 'EXTERNAL' | 'FLEET'
export type AgentPage = Answer<typeof routes.agents.list>

/** The part of a dataset that everyone with its share token may read. */
export type PublicDataset = Sparse<wire.PublicDataset, 'id' | 'name' | 'description' | 'created_at'>
/** A versioned set of examples. */
export type Dataset = Sparse<wire.Dataset, 'id' | 'name' | 'description' | 'created_at' | 'tenant_id' | 'modified_at'>
export type DataType = Public<wire.DataType>
export type DatasetTransformation = Public<wire.Transformation>
/** Query of `GET /datasets`. */
export type DatasetQuery = WithMetadata<Query<typeof routes.datasets.list>>
export type DatasetSort = NonNullable<DatasetQuery['sort_by']>
/** `url` is the public web page. */
export type DatasetShareSchema = Public<wire.DatasetShare> & { url: string }
/** A change of the examples of a dataset, named by its time. */
export type DatasetVersion = Sparse<wire.DatasetVersion, 'as_of'>
/** How many examples a restored version changed; `as_of` is the new version. */
export type DatasetVersionRestored = Public<wire.VersionRestored>
/** Ids of the examples that differ between two versions. */
export type DatasetDiffInfo = Public<wire.VersionDiff>

/** An attachment as it is read: a link that needs no key and holds for a day. */
export interface AttachmentInfo {
  presigned_url: string
  mime_type?: string | undefined
}

/** One row of a dataset, as it stood at some version. */
export type Example = Sparse<
  Omit<wire.Example, 'attachment_urls' | 'name'>,
  'id' | 'dataset_id' | 'inputs' | 'created_at'
> & {
  name?: string | undefined
  /** By name; present on single reads and where they were asked for. */
  attachments?: Record<string, AttachmentInfo> | undefined
}

/** An example that a search found. */
export type ExampleSearch = Sparse<wire.SimilarExample, 'id' | 'inputs'>

/** Exactly one of `dataset_id` and `dataset_name`. */
export interface ExampleCreate {
  /** @default a new one */
  id?: string | undefined
  dataset_id?: string | undefined
  dataset_name?: string | undefined
  /** Needed unless they come from the source run. */
  inputs?: KVMap | undefined
  outputs?: KVMap | null | undefined
  /** Another name of `outputs`, which the server knows by that one. */
  reference_outputs?: KVMap | null | undefined
  metadata?: KVMap | null | undefined
  /** @default "base" */
  split?: string | string[] | null | undefined
  attachments?: Attachments | undefined
  /** @default now */
  created_at?: string | undefined
  source_run_id?: string | undefined
  /** Takes inputs, outputs and all attachments from the run. */
  use_source_run_io?: boolean | undefined
  /** Names of the run's attachments to copy. */
  use_source_run_attachments?: string[] | undefined
}

/** New names of attachments, and which to keep under their own; all others are dropped. */
export interface AttachmentsOperations {
  rename?: Record<string, string> | undefined
  retain?: string[] | undefined
}

/** What is absent stays as it is; what is given is replaced whole, except that the split survives new metadata. */
export interface ExampleUpdate {
  id: string
  dataset_id?: string | undefined
  inputs?: KVMap | undefined
  outputs?: KVMap | null | undefined
  /** Another name of `outputs`, which the server knows by that one. */
  reference_outputs?: KVMap | null | undefined
  metadata?: KVMap | null | undefined
  split?: string | string[] | null | undefined
  /** Without operations these replace all there are. */
  attachments?: Attachments | undefined
  attachments_operations?: AttachmentsOperations | undefined
  /** `modified_at` of the example that the change is based on: a ConflictError when it was changed since. An extension of ours. */
  expected?: { modified_at: string } | undefined
}

export type ExamplesChanged = Public<wire.ExamplesChanged>
/** One change of a metadata key; `dataset_split` is the list of the example's splits. */
export interface MetadataOperation {
  key: string
  /** `set` replaces the value; the others change a list. */
  operation: 'set' | 'array_add' | 'array_remove'
  /** For `set`. */
  value?: unknown
  /** For lists. */
  values?: string[] | undefined
}
/** What a change did with one example. */
export interface ExampleStatus {
  id: string
  status: 'UPDATED' | 'NOT_FOUND'
  description?: string | undefined
}
/** Query of `GET /examples/count`. */
export type ExampleConditions = WithMetadata<Query<typeof routes.examples.count>>
/** Query of `GET /examples`. */
export type ExampleQuery = WithMetadata<Query<typeof routes.examples.list>>

export type FeedbackStat = Public<wire.FeedbackStat>

/** Others are kept as they are. */
export type FeedbackSourceType = 'model' | 'api' | 'app' | 'auto_eval'
/** A boolean counts as 1 or 0. */
export type ScoreType = number | boolean | null
export type ValueType = number | boolean | string | object | null
export interface FeedbackSourceBase {
  type: string
  metadata?: KVMap | null | undefined
  user_id?: string | null | undefined
  user_name?: string | null | undefined
}

/** A score, value or comment under a key. */
export type Feedback = Omit<
  Sparse<wire.Feedback, 'id' | 'run_id' | 'key'>,
  'score' | 'value' | 'correction' | 'feedback_source' | 'start_time'
> & {
  score?: ScoreType | undefined
  value?: ValueType | undefined
  correction?: string | object | null | undefined
  feedback_source?: FeedbackSourceBase | null | undefined
  start_time?: string | number | null | undefined
}

export type FeedbackQuery = Query<typeof routes.feedback.list>
export type FeedbackConfig = Public<wire.FeedbackConfig>
export type FeedbackCategory = NonNullable<FeedbackConfig['categories']>[number]
export type FeedbackConfigSchema = Sparse<
  wire.FeedbackConfigEntry,
  'feedback_key' | 'feedback_config' | 'tenant_id' | 'modified_at'
>
export type FeedbackKeyUsage = Public<wire.FeedbackKeyUsage>
export type FeedbackIngestToken = Sparse<wire.FeedbackToken, 'id' | 'url' | 'expires_at'>

export type WorkspaceEvaluator = Public<wire.Evaluator>
export type EvaluatorType = Public<wire.EvaluatorType>
export type CodeEvaluatorDefinition = NonNullable<Body<typeof routes.evaluators.create>['code_evaluator']>
export type LlmEvaluatorDefinition = NonNullable<Body<typeof routes.evaluators.create>['llm_evaluator']>

export type SavedEvaluator = Public<wire.SavedEvaluator>
export type SavedEvaluatorVersion = Public<wire.SavedEvaluatorVersion>
export type EvaluatorKind = wire.EvaluatorKind
/** A judge or a JavaScript function, as it is written. */
export type EvaluatorDefinition = SavedEvaluatorWrite['definition']
export type SavedEvaluatorWrite = Body<typeof routes.savedEvaluators.create>
export type SavedEvaluatorChange = Body<typeof routes.savedEvaluators.update>
export type SavedEvaluatorVersionWrite = Body<typeof routes.savedEvaluators.createVersion>
export type EvaluatorJobWrite = Body<typeof routes.evaluatorJobs.create>
export type EvaluatorJobEstimate = Public<wire.EvaluatorJobEstimate>
export type EvaluatorJob = Public<wire.EvaluatorJob>
export type EvaluatorJobDetail = Public<wire.EvaluatorJobDetail>
export type EvaluatorPreview = Body<typeof routes.savedEvaluators.preview>
export type EvaluatorPreviewAnswer = Public<wire.EvaluatorPreviewAnswer>
export type EvaluatorScore = Public<wire.EvaluatorScore>
export type EvaluatorProblem = Public<wire.EvaluatorProblem>
export type EvaluatorAgreementRequest = Body<typeof routes.savedEvaluators.agreement>
export type EvaluatorAgreement = Public<wire.EvaluatorAgreement>

export type Rule = Public<wire.Rule>
export type RuleDefinition = Rule['definition']
/** What a rule does with a run. */
export type RuleAction = RuleDefinition['actions'][number]
export type RuleWrite = Body<typeof routes.rules.create>
export type RuleUpdate = Body<typeof routes.rules.update>
export type RuleVersion = Public<wire.RuleVersion>
export type RuleState = wire.RuleState
export type RuleDecision = Public<wire.RuleDecision>
export type RuleFunnel = Public<wire.RuleFunnel>
export type RuleWindow = NonNullable<Query<typeof routes.rules.funnel>['window']>
export type RuleClause = Public<wire.RuleClause>
export type RuleExplanation = Public<wire.RuleExplanation>
/** Counts of a rule within a window. */
export type RuleCounts = Answer<typeof routes.rules.counts>['rules'][number]
export type RuleTarget = wire.RuleTarget
export type RuleDryRun = Body<typeof routes.rules.dryRun>
export type RuleForecast = Public<wire.RuleForecast>
export type RuleTry = Body<typeof routes.rules.try>
export type RuleTryResult = Public<wire.RuleTryResult>
export type RuleSpend = Public<wire.RuleSpend>
export type RuleBackfill = Public<wire.RuleBackfill>
export type RuleBackfillWrite = Body<typeof routes.rules.createBackfill>
export type RuleBackfillState = Body<typeof routes.rules.updateBackfill>['state']

/** A run of an experiment with its feedback. */
export type ExperimentRun = Run & { feedbacks: Feedback[] }
/** An example with its runs in each experiment. */
export type ExampleWithRuns = Example & { runs: ExperimentRun[] }
export type ComparativeExperiment = Sparse<
  wire.ListedComparativeExperiment,
  'id' | 'name' | 'description' | 'tenant_id' | 'reference_dataset_id' | 'created_at' | 'modified_at'
>
export type ExperimentRunsQuery = Body<typeof routes.experiments.runs>
export type GroupedRunsQuery = Body<typeof routes.experiments.groupedRuns>
export type RunGroupStats = Public<wire.RunGroupStats>
export type ExampleGroup = Omit<Public<wire.ExampleGroup>, 'examples'> & { examples: ExampleWithRuns[] }
export type FeedbackDelta = Public<wire.FeedbackDelta>
export type Verdict = Public<wire.Verdict>
export type ExperimentStatisticsQuery = Body<typeof routes.experimentStatistics.compare>
export type ScoredSide = Public<wire.ScoredSide>
export type SignificanceTest = Public<wire.SignificanceTest>
export type KeyComparison = Public<wire.KeyComparison>
export type ExperimentStatistics = Public<wire.ExperimentStatistics>
export type CellRuns = Public<wire.CellRuns>
export type CellScores = Public<wire.CellScores>
export type ExperimentCells = Public<wire.ExperimentCells>
export type GroupedExperimentsQuery = Body<typeof routes.experiments.grouped>
export type ExperimentGroup = Omit<Public<wire.ExperimentGroup>, 'sessions'> & { sessions: TracerSessionResult[] }
export type ExperimentUpload = Body<typeof routes.datasetFiles.uploadExperiment>
export type UploadedResult = ExperimentUpload['results'][number]
export type UploadedScore = NonNullable<UploadedResult['evaluation_scores']>[number]
export type ColumnOverride = Public<wire.ColumnOverride>
export type ExperimentViewOverride = Public<wire.ExperimentViewOverride>

export type AnnotationQueue = Sparse<wire.ListedAnnotationQueue, QueueField>
type QueueField = 'id' | 'tenant_id' | 'name' | 'description' | 'created_at' | 'updated_at'
export type AnnotationQueueWithDetails = Sparse<wire.AnnotationQueueWithRubric, QueueField>
export type AnnotationQueueRubricItem = NonNullable<Body<typeof routes.annotationQueues.create>['rubric_items']>[number]
export type RubricItemConditions = Public<wire.RubricConditions>

/** A run by all that tells where it is stored. */
export interface RunKey {
  runId: string
  sessionId: string
  /** Epoch milliseconds, when it is a number. */
  startTime: string | number | Date
  sourceProposedExampleId?: string | undefined
}

export type ReviewStatus = Public<wire.ReviewStatus>
export type AnnotationQueueReview = Public<wire.Review>
/** A run or a thread as one queue holds it, for the caller. */
export type AnnotationQueueItem = Public<wire.ListedQueueItem>
export type AnnotationQueueItemPage = Answer<typeof routes.annotationQueueItems.list>
export type AnnotationQueueItemSection = Public<wire.ItemSection>
export type AnnotationQueueItemPlacement = Answer<typeof routes.annotationQueueItems.placement>
export type AnnotationQueueProgress = Public<wire.QueueProgress>
export type AnnotationQueueAgreement = Public<wire.QueueAgreement>
/** A run as one queue holds it. */
export type RunWithAnnotationQueueInfo = Run & Public<Omit<wire.QueueRun, keyof wire.Run>>

export type BulkAction = 'add_to_dataset' | 'add_to_queue' | 'delete' | 'export'
export type RunExportFormat = Public<wire.RunExportFormat>
export type BulkStart = Omit<Body<typeof routes.bulkJobs.start>, 'dry_run'>
export type BulkSampleRun = Public<wire.BulkSampleRun>
export type BulkJob = Public<wire.BulkJob>
export type BulkJobDetail = Public<wire.BulkJobDetail>
export type BulkCount = Omit<Public<wire.BulkAnswer>, 'job'>

export type RepoType = Public<wire.RepoType>
export type HubRepoType = 'agent' | 'skill'
/** A prompt (or agent, skill, file) of the hub without its commits. */
export type Prompt = Sparse<
  wire.Repo,
  Exclude<
    keyof wire.Repo,
    'repo_type' | 'source' | 'restricted_mode' | 'created_by' | 'commit_tags' | 'latest_commit_manifest' | 'is_foreign'
  >
>
export type PromptSortField = 'num_downloads' | 'num_views' | 'updated_at' | 'num_likes'
export type LikePromptResponse = Answer<typeof routes.prompts.like>

/** A commit as it is pulled, under the names it was asked by. */
export interface PromptCommit {
  owner: string
  repo: string
  commit_hash: string
  /** As it was committed, without its model unless that was asked for. Plain data: nothing here revives it. */
  manifest: KVMap
  examples: KVMap[]
  description?: string | null | undefined
  /** Settings and class of the model; null unless it was asked for. */
  hub_model_config?: KVMap | null | undefined
  hub_model_provider?: string | null | undefined
  /** It belongs to another workspace: read the manifest before a program revives it. */
  is_foreign?: boolean | undefined
}

export type ListedPromptCommit = Public<wire.PromptCommit>
export interface ListPromptsResponse {
  repos: Prompt[]
  total: number
}
export type ListCommitsResponse = Answer<typeof routes.promptCommits.list>
/** A commit without its manifest. */
export type PromptCommitSummary = Public<wire.CommitSummary>
export type PromptHistory = Answer<typeof routes.promptCommits.history>
export type CommitTag = Public<wire.CommitTag>
export type CommitTagTransition = Public<wire.TagTransition>
export type PromptEnvironment = Public<wire.PromptEnvironment>
export type PromptEnvironments = Public<wire.PromptEnvironments>
export type PromptWebhookTrigger = Public<wire.WebhookTrigger>
export type PromptWebhook = Public<wire.PromptWebhook>
export type PromptWebhookDelivery = Public<wire.WebhookDelivery>
export type PromptWebhookTestAnswer = Public<wire.WebhookTestAnswer>

export type Alert = Public<wire.Alert>
export type AlertDefinition = Public<wire.AlertDefinition>
export type AlertDefinitionWrite = Body<typeof routes.alerts.preview>['definition']
export type AlertWrite = Body<typeof routes.alerts.create>
export type AlertChange = Body<typeof routes.alerts.update>
export type AlertVersion = Public<wire.AlertVersion>
export type AlertPoint = Public<wire.AlertPoint>
export type AlertEpisode = Public<wire.AlertEpisode>
export type AlertEpisodeDetails = Answer<typeof routes.alerts.readEpisode>
export type AlertPreview = Public<wire.AlertPreview>

export type Budget = Public<wire.Budget>
export type BudgetSpend = Public<wire.BudgetSpend>
export type BudgetWrite = Body<typeof routes.budgets.create>
export type BudgetChange = Body<typeof routes.budgets.update>

export type NotificationKind = wire.NotificationKind
export type NotificationChannel = Public<wire.NotificationChannel>
export type NotificationChannelList = Answer<typeof routes.notifications.list>
export type NotificationChannelWrite = Body<typeof routes.notifications.create>
export type NotificationChannelChange = Body<typeof routes.notifications.update>
export type NotificationDelivery = Public<wire.NotificationDelivery>
export type NotificationDeliveryList = Answer<typeof routes.notifications.listDeliveries>

/** Text at a path. */
export interface FileEntry {
  type: 'file'
  content: string
}

interface LinkEntry {
  repo_handle: string
  /** Handle of a workspace. @default that of the tree */
  owner?: string | null | undefined
  commit_id?: string | null | undefined
  /** Without a commit, the newest one. */
  commit_hash?: string | null | undefined
}

/** An agent that stands at a path. */
export interface AgentEntry extends LinkEntry {
  type: 'agent'
}

/** A skill that stands at a path. */
export interface SkillEntry extends LinkEntry {
  type: 'skill'
}

export type Entry = FileEntry | AgentEntry | SkillEntry

/** The files of an agent at one commit, by path. */
export interface AgentContext {
  commit_id: string
  commit_hash: string
  files: Record<string, Entry>
  /** It belongs to another workspace. */
  is_foreign?: boolean | undefined
}

export type SkillContext = AgentContext

export interface DirectoryCommitResponse {
  commit: { id: string; commit_hash: string; created_at: string }
}

export type Role = Public<wire.Role>
export type Me = Public<wire.Me>
export type ServerAdmin = Public<wire.ServerAdmin>
export type AuthState = Public<wire.AuthState>
export type SignIn = Public<wire.SignIn>
export type SetUpDone = Answer<typeof routes.accounts.setUp>
export type Member = Public<wire.Member>
export type Invite = Public<wire.Invite>
export type NewInvite = Public<wire.NewInvite>
export type InviteView = Public<wire.InviteView>
export type ServerInfo = Public<wire.ServerInfo>
export type WorkspaceSettings = Public<wire.Settings>
export type Workspace = Public<wire.Workspace>
export type WorkspaceStats = Public<wire.WorkspaceStats>
export type ApiKey = Public<wire.ApiKey>
export type NewApiKey = Public<wire.NewApiKey>

export type RunShare = Public<wire.RunShare>
export type SharedEntity = Public<wire.SharedEntity>
export type SharedRunEntity = Extract<SharedEntity, { type: 'run' }>
export type SharedDatasetEntity = Extract<SharedEntity, { type: 'dataset' }>
export type SharedThreadEntity = Extract<SharedEntity, { type: 'thread' }>

export type Backup = Public<wire.Backup>
export type BackupList = Public<wire.BackupList>
export type UsageFigures = Public<wire.UsageFigures>
export type UsageReport = Public<wire.UsageReport>
export type RequestReceipt = Public<wire.RequestReceipt>
export type RequestReceiptList = Public<wire.RequestReceiptList>
export type RefusedRuns = Public<wire.RefusedRuns>
export type RetriedRuns = Public<wire.RetriedRuns>
export type TraceWhereabouts = Public<wire.TraceWhereabouts>
/** Where a trace is. An unknown trace that a reported sampling rate leaves out is `sampled_out`. */
export interface FoundTrace extends Omit<TraceWhereabouts, 'outcome'> {
  outcome: TraceWhereabouts['outcome'] | 'sampled_out'
}
export type ModelUsage = Public<wire.ModelUsage>
export type ModelUsageReport = Public<wire.ModelUsageReport>
export type StorageReport = Public<wire.StorageReport>
export type Deletion = Public<wire.Deletion>
export type DeletionList = Public<wire.DeletionList>
export type ProjectActivity = Public<wire.ProjectActivity>
export type WorkspaceRetention = Public<wire.WorkspaceRetention>
export type ProjectRetention = Public<wire.ProjectRetention>
export type RetentionEstimate = Public<wire.RetentionEstimate>

export type ModelPrice = Public<wire.ModelPrice>
export type ModelPriceTestAnswer = Public<wire.ModelPriceTestAnswer>
export type UnpricedModel = Public<wire.UnpricedModel>
export type RepriceStart = Omit<Body<typeof routes.modelPrices.reprice>, 'dry_run'>
/** What pricing stored runs again changes, by model. */
export type RepriceEstimate = Omit<Public<wire.RepriceAnswer>, 'job'>
export type RepricedModel = Public<wire.RepricedModel>
export type ModelPriceWrite = Body<typeof routes.modelPrices.create>
export type ModelPriceChange = Body<typeof routes.modelPrices.update>
export type ModelPriceTest = Body<typeof routes.modelPrices.test>
export type ModelProvider = Public<wire.ModelProvider>
export type Spending = Public<wire.Spending>
export type SpendingLimits = Body<typeof routes.spending.setLimits>
export type ModelProviderKind = wire.ModelProviderKind
export type ModelProviderWrite = Body<typeof routes.modelProviders.create>
export type ModelProviderChange = Body<typeof routes.modelProviders.update>
export type ModelProviderTest = Body<typeof routes.modelProviders.test>
export type ModelProviderTestAnswer = Public<wire.ModelProviderTestAnswer>
export type ModelProblem = Public<wire.ModelProblem>
export type AvailableModel = Public<wire.AvailableModel>
export type ProviderModelList = Answer<typeof routes.modelProviders.listModels>
export type SecretKeyStatus = Public<wire.SecretKeyStatus>
export type PlaygroundRun = Body<typeof routes.playground.run>
export type PlaygroundEvent = Public<wire.PlaygroundEvent>
export type PlaygroundJobWrite = Body<typeof routes.playgroundJobs.create>
export type PlaygroundEstimate = Public<wire.PlaygroundEstimate>
export type PlaygroundLimits = Public<wire.PlaygroundLimits>
export type PlaygroundJob = Public<wire.PlaygroundJob>
export type PlaygroundJobDetail = Public<wire.PlaygroundJobDetail>
export type PlaygroundDraft = Public<wire.PlaygroundDraft>
export type PlaygroundDraftDetail = Public<wire.PlaygroundDraftDetail>
export type PlaygroundDraftWrite = Body<typeof routes.playgroundDrafts.create>
export type PlaygroundDraftChange = Body<typeof routes.playgroundDrafts.update>
export type RunViewState = Public<wire.RunViewState>
export type SavedView = Public<wire.SavedView>
export type DashboardChart = NonNullable<Body<typeof routes.dashboards.create>['charts']>[number]
export type Dashboard = Omit<Public<wire.Dashboard>, 'charts'> & { charts: DashboardChart[] }
export type DashboardMetric = Public<wire.ChartMetric>
