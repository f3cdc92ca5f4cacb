import type { PlainRoutes } from './route.ts'

/*
 * Every call that the server answers, as plain data: method, path, path family, access and error form. No value of this
 * module needs zod, so clients can bundle the nouns that they use. `describeRoutes` adds shapes and summaries.
 */

export const info = {
  read: { method: 'GET', path: '/info', access: 'public' },
  health: { method: 'GET', path: '/info/health', access: 'public' },
  ok: { method: 'GET', path: '/ok', access: 'public' },
} as const satisfies PlainRoutes

export const monitoring = {
  metrics: { method: 'GET', path: '/metrics', family: 'root' },
  openapi: { method: 'GET', path: '/openapi.json', family: 'root' },
} as const satisfies PlainRoutes

export const runs = {
  create: { method: 'POST', path: '/runs', access: 'write', errors: 'ingest' },
  update: { method: 'PATCH', path: '/runs/{run_id}', access: 'write', errors: 'ingest' },
  batch: { method: 'POST', path: '/runs/batch', access: 'write', errors: 'ingest' },
  multipart: { method: 'POST', path: '/runs/multipart', access: 'write', errors: 'ingest' },
  read: { method: 'GET', path: '/runs/{run_id}' },
  query: { method: 'POST', path: '/runs/query' },
} as const satisfies PlainRoutes

export const runStats = {
  stats: { method: 'POST', path: '/runs/stats' },
  group: { method: 'POST', path: '/runs/group' },
  groupStats: { method: 'POST', path: '/runs/group/stats' },
  thread: { method: 'GET', path: '/runs/threads/{thread_id}' },
  projectMetadata: { method: 'GET', path: '/sessions/{session_id}/metadata' },
} as const satisfies PlainRoutes

export const runSeries = {
  series: { method: 'POST', path: '/runs/series' },
  histogram: { method: 'POST', path: '/runs/histogram' },
  facets: { method: 'POST', path: '/runs/facets' },
} as const satisfies PlainRoutes

export const runDeletions = {
  delete: { method: 'POST', path: '/runs/delete', access: 'write' },
  deleteTraces: { method: 'POST', path: '/runs/delete/traces', access: 'write' },
} as const satisfies PlainRoutes

export const bulkJobs = {
  start: { method: 'POST', path: '/bulk', access: 'write' },
  list: { method: 'GET', path: '/jobs' },
  read: { method: 'GET', path: '/jobs/{job_id}' },
  cancel: { method: 'POST', path: '/jobs/{job_id}/cancel', access: 'write' },
  undo: { method: 'POST', path: '/jobs/{job_id}/undo', access: 'write' },
  download: { method: 'GET', path: '/jobs/downloads/{token}', access: 'public' },
} as const satisfies PlainRoutes

export const queryTools = {
  validate: { method: 'POST', path: '/runs/query/validate' },
  generate: { method: 'POST', path: '/runs/generate-query' },
  rules: { method: 'GET', path: '/runs/rules' },
} as const satisfies PlainRoutes

export const traces = {
  spine: { method: 'GET', path: '/traces/{trace_id}/spine' },
  resolve: { method: 'GET', path: '/resolve/{id}' },
} as const satisfies PlainRoutes

export const sharing = {
  shareRun: { method: 'PUT', path: '/runs/{run_id}/share', access: 'write' },
  readRunShare: { method: 'GET', path: '/runs/{run_id}/share' },
  unshareRun: { method: 'DELETE', path: '/runs/{run_id}/share', access: 'write' },
  publicRun: { method: 'GET', path: '/public/{share_token}/run', access: 'public' },
  publicRunById: { method: 'GET', path: '/public/{share_token}/run/{run_id}', access: 'public' },
  publicRuns: { method: 'GET', path: '/public/{share_token}/runs', access: 'public' },
  publicRunsMisspelt: { method: 'GET', path: '/public/{share_token}/runs{query_text}', access: 'public' },
  publicRunQuery: { method: 'POST', path: '/public/{share_token}/runs/query', access: 'public' },
  publicSpine: { method: 'GET', path: '/public/{share_token}/spine', access: 'public' },
  publicFeedback: { method: 'GET', path: '/public/{share_token}/feedbacks', access: 'public' },
  publicSchema: { method: 'GET', path: '/public/schemas/{version}/{file}', access: 'public' },
  listShared: { method: 'GET', path: '/workspaces/current/shared' },
  unshare: { method: 'DELETE', path: '/workspaces/current/shared', access: 'write' },
} as const satisfies PlainRoutes

export const runsV2 = {
  query: { method: 'POST', path: '/runs/query', family: 'v2' },
  read: { method: 'GET', path: '/runs/{run_id}', family: 'v2' },
  url: { method: 'GET', path: '/runs/{run_id}/url', family: 'v2' },
  share: { method: 'POST', path: '/runs/{run_id}/share', family: 'v2', access: 'write' },
  unshare: { method: 'DELETE', path: '/runs/{trace_id}/share', family: 'v2', access: 'write' },
  publicRead: { method: 'GET', path: '/public/{share_token}/run/{run_id}', family: 'v2', access: 'public' },
  publicQuery: { method: 'POST', path: '/public/{share_token}/runs/query', family: 'v2', access: 'public' },
  ofTrace: { method: 'GET', path: '/traces/{trace_id}/runs', family: 'v2' },
  queryTraces: { method: 'POST', path: '/traces/query', family: 'v2' },
} as const satisfies PlainRoutes

export const threadsV2 = {
  query: { method: 'POST', path: '/threads/query', family: 'v2' },
  traces: { method: 'GET', path: '/threads/{thread_id}/traces', family: 'v2' },
  totals: { method: 'POST', path: '/threads/stats', family: 'v2' },
  stats: { method: 'GET', path: '/threads/{thread_id}/stats', family: 'v2' },
  share: { method: 'POST', path: '/threads/{thread_id}/share', family: 'v2', access: 'write' },
  readShare: { method: 'GET', path: '/threads/{thread_id}/share', family: 'v2' },
  unshare: { method: 'DELETE', path: '/threads/{thread_id}/share', family: 'v2', access: 'write' },
  publicTraces: { method: 'GET', path: '/public/{share_token}/thread/traces', family: 'v2', access: 'public' },
} as const satisfies PlainRoutes

export const projectsV2 = {
  list: { method: 'GET', path: '/sessions', family: 'v2' },
} as const satisfies PlainRoutes

export const datasetsV2 = {
  list: { method: 'GET', path: '/datasets', family: 'v2' },
} as const satisfies PlainRoutes

export const sql = {
  query: { method: 'POST', path: '/sql/query', family: 'v2' },
} as const satisfies PlainRoutes

export const feedback = {
  create: { method: 'POST', path: '/feedback', access: 'write' },
  createEager: { method: 'POST', path: '/feedback/eager', access: 'write' },
  list: { method: 'GET', path: '/feedback' },
  read: { method: 'GET', path: '/feedback/{feedback_id}' },
  update: { method: 'PATCH', path: '/feedback/{feedback_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/feedback/{feedback_id}', access: 'write' },
} as const satisfies PlainRoutes

export const feedbackTokens = {
  create: { method: 'POST', path: '/feedback/tokens', access: 'write' },
  list: { method: 'GET', path: '/feedback/tokens', access: 'write' },
  useByGet: { method: 'GET', path: '/feedback/tokens/{token}', access: 'public' },
  confirm: { method: 'POST', path: '/feedback/tokens/{token}/confirm', access: 'public' },
  use: { method: 'POST', path: '/feedback/tokens/{token}', access: 'public' },
  revoke: { method: 'DELETE', path: '/feedback/tokens/{token}', access: 'write' },
} as const satisfies PlainRoutes

export const feedbackConfigs = {
  create: { method: 'POST', path: '/feedback-configs', access: 'write' },
  list: { method: 'GET', path: '/feedback-configs' },
  update: { method: 'PATCH', path: '/feedback-configs', access: 'write' },
  delete: { method: 'DELETE', path: '/feedback-configs', access: 'write' },
  usage: { method: 'GET', path: '/feedback-configs/usage' },
} as const satisfies PlainRoutes

export const blobs = {
  read: { method: 'GET', path: '/blobs/{token}', access: 'public' },
} as const satisfies PlainRoutes

export const projects = {
  create: { method: 'POST', path: '/sessions', access: 'write' },
  list: { method: 'GET', path: '/sessions' },
  read: { method: 'GET', path: '/sessions/{session_id}' },
  update: { method: 'PATCH', path: '/sessions/{session_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/sessions/{session_id}', access: 'write' },
  deleteMany: { method: 'DELETE', path: '/sessions', access: 'write' },
} as const satisfies PlainRoutes

export const agents = {
  list: { method: 'GET', path: '/agents' },
  create: { method: 'POST', path: '/agents', access: 'write' },
  read: { method: 'GET', path: '/agents/{agent_id}' },
  update: { method: 'PATCH', path: '/agents/{agent_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/agents/{agent_id}', access: 'write' },
  resolve: { method: 'GET', path: '/sessions/resolutions' },
} as const satisfies PlainRoutes

export const evaluators = {
  list: { method: 'GET', path: '/evaluators', family: 'platform' },
  create: { method: 'POST', path: '/evaluators', family: 'platform', access: 'write' },
  spend: { method: 'GET', path: '/evaluators/spend', family: 'platform' },
  read: { method: 'GET', path: '/evaluators/{evaluator_id}', family: 'platform' },
  update: { method: 'PATCH', path: '/evaluators/{evaluator_id}', family: 'platform', access: 'write' },
  delete: { method: 'DELETE', path: '/evaluators/{evaluator_id}', family: 'platform', access: 'write' },
  deleteMany: { method: 'DELETE', path: '/evaluators', family: 'platform', access: 'write' },
} as const satisfies PlainRoutes

export const experiments = {
  runs: { method: 'POST', path: '/datasets/{dataset_id}/runs' },
  groupedRuns: { method: 'POST', path: '/datasets/{dataset_id}/group/runs' },
  deltas: { method: 'POST', path: '/datasets/{dataset_id}/runs/delta' },
  deltasStream: { method: 'POST', path: '/datasets/{dataset_id}/runs/delta/stream' },
  grouped: { method: 'POST', path: '/datasets/{dataset_id}/experiments/grouped' },
  runsV2: { method: 'POST', path: '/datasets/{dataset_id}/experiment-runs', family: 'v2' },
  listOverrides: { method: 'GET', path: '/datasets/{dataset_id}/experiment-view-overrides', errors: 'platform' },
  createOverride: {
    method: 'POST',
    path: '/datasets/{dataset_id}/experiment-view-overrides',
    access: 'write',
    errors: 'platform',
  },
  readOverride: {
    method: 'GET',
    path: '/datasets/{dataset_id}/experiment-view-overrides/{override_id}',
    errors: 'platform',
  },
  updateOverride: {
    method: 'PATCH',
    path: '/datasets/{dataset_id}/experiment-view-overrides/{override_id}',
    access: 'write',
    errors: 'platform',
  },
  deleteOverride: {
    method: 'DELETE',
    path: '/datasets/{dataset_id}/experiment-view-overrides/{override_id}',
    access: 'write',
    errors: 'platform',
  },
} as const satisfies PlainRoutes

export const comparativeExperiments = {
  create: { method: 'POST', path: '/datasets/comparative', access: 'write' },
  list: { method: 'GET', path: '/datasets/{dataset_id}/comparative' },
  delete: { method: 'DELETE', path: '/datasets/comparative/{comparative_experiment_id}', access: 'write' },
} as const satisfies PlainRoutes

export const experimentStatistics = {
  compare: { method: 'POST', path: '/datasets/{dataset_id}/experiments/statistics' },
} as const satisfies PlainRoutes

export const datasets = {
  create: { method: 'POST', path: '/datasets', access: 'write' },
  list: { method: 'GET', path: '/datasets' },
  read: { method: 'GET', path: '/datasets/{dataset_id}' },
  update: { method: 'PATCH', path: '/datasets/{dataset_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/datasets/{dataset_id}', access: 'write' },
  deleteMany: { method: 'DELETE', path: '/datasets', access: 'write' },
} as const satisfies PlainRoutes

export const datasetVersions = {
  list: { method: 'GET', path: '/datasets/{dataset_id}/versions' },
  read: { method: 'GET', path: '/datasets/{dataset_id}/version' },
  diff: { method: 'GET', path: '/datasets/{dataset_id}/versions/diff' },
  tag: { method: 'PUT', path: '/datasets/{dataset_id}/tags', access: 'write' },
  listSplits: { method: 'GET', path: '/datasets/{dataset_id}/splits' },
  updateSplits: { method: 'PUT', path: '/datasets/{dataset_id}/splits', access: 'write' },
} as const satisfies PlainRoutes

export const examples = {
  upload: { method: 'POST', path: '/datasets/{dataset_id}/examples', family: 'platform', access: 'write' },
  patch: { method: 'PATCH', path: '/datasets/{dataset_id}/examples', family: 'platform', access: 'write' },
  updateMetadata: {
    method: 'PATCH',
    path: '/datasets/{dataset_id}/examples/metadata',
    family: 'platform',
    access: 'write',
  },
  upsert: { method: 'POST', path: '/examples/multipart', family: 'platform', access: 'write' },
  hardDelete: { method: 'POST', path: '/datasets/examples/delete', family: 'platform', access: 'write' },
  create: { method: 'POST', path: '/examples', access: 'write' },
  createMany: { method: 'POST', path: '/examples/bulk', access: 'write' },
  validate: { method: 'POST', path: '/examples/validate' },
  validateMany: { method: 'POST', path: '/examples/validate/bulk' },
  list: { method: 'GET', path: '/examples' },
  count: { method: 'GET', path: '/examples/count' },
  updateMany: { method: 'PATCH', path: '/examples/bulk', access: 'write' },
  read: { method: 'GET', path: '/examples/{example_id}' },
  update: { method: 'PATCH', path: '/examples/{example_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/examples/{example_id}', access: 'write' },
  deleteOfDataset: {
    method: 'DELETE',
    path: '/datasets/{dataset_id}/examples/{example_id}',
    family: 'platform',
    access: 'write',
  },
  deleteMany: { method: 'DELETE', path: '/examples', access: 'write' },
} as const satisfies PlainRoutes

export const datasetFiles = {
  upload: { method: 'POST', path: '/datasets/upload', access: 'write' },
  append: { method: 'POST', path: '/examples/upload/{dataset_id}', access: 'write' },
  clone: { method: 'POST', path: '/datasets/clone', access: 'write' },
  uploadExperiment: { method: 'POST', path: '/datasets/upload-experiment', access: 'write' },
  csv: { method: 'GET', path: '/datasets/{dataset_id}/csv' },
  jsonl: { method: 'GET', path: '/datasets/{dataset_id}/jsonl' },
  openai: { method: 'GET', path: '/datasets/{dataset_id}/openai' },
  openaiFineTuning: { method: 'GET', path: '/datasets/{dataset_id}/openai_ft' },
} as const satisfies PlainRoutes

export const datasetSearch = {
  index: { method: 'POST', path: '/datasets/{dataset_id}/index', access: 'write' },
  readIndex: { method: 'GET', path: '/datasets/{dataset_id}/index' },
  deleteIndex: { method: 'DELETE', path: '/datasets/{dataset_id}/index', access: 'write' },
  syncIndex: { method: 'POST', path: '/datasets/{dataset_id}/index/sync', access: 'write' },
  search: { method: 'POST', path: '/datasets/{dataset_id}/search' },
} as const satisfies PlainRoutes

export const datasetSharing = {
  share: { method: 'PUT', path: '/datasets/{dataset_id}/share', access: 'write' },
  readShare: { method: 'GET', path: '/datasets/{dataset_id}/share' },
  unshare: { method: 'DELETE', path: '/datasets/{dataset_id}/share', access: 'write' },
  publicDataset: { method: 'GET', path: '/public/{share_token}/datasets', access: 'public' },
  publicExamples: { method: 'GET', path: '/public/{share_token}/examples', access: 'public' },
  publicExampleCount: { method: 'GET', path: '/public/{share_token}/examples/count', access: 'public' },
  publicSessions: { method: 'GET', path: '/public/{share_token}/datasets/sessions', access: 'public' },
  publicSessionsBulk: { method: 'GET', path: '/public/datasets/sessions-bulk', access: 'public' },
  publicComparative: { method: 'GET', path: '/public/{share_token}/datasets/comparative', access: 'public' },
  publicFeedback: { method: 'GET', path: '/public/{share_token}/datasets/feedback', access: 'public' },
  publicRuns: { method: 'POST', path: '/public/{share_token}/datasets/runs/query', access: 'public' },
  publicRunStats: { method: 'POST', path: '/public/{share_token}/datasets/runs/stats', access: 'public' },
  publicGenerateQuery: { method: 'POST', path: '/public/{share_token}/datasets/runs/generate-query', access: 'public' },
  publicRun: { method: 'GET', path: '/public/{share_token}/datasets/runs/{run_id}', access: 'public' },
  publicExampleRuns: { method: 'POST', path: '/public/{share_token}/examples/runs', access: 'public' },
  publicDeltas: { method: 'POST', path: '/public/{share_token}/datasets/runs/delta', access: 'public' },
} as const satisfies PlainRoutes

export const annotationQueues = {
  list: { method: 'GET', path: '/annotation-queues' },
  create: { method: 'POST', path: '/annotation-queues', access: 'write' },
  deleteMany: { method: 'DELETE', path: '/annotation-queues', access: 'write' },
  read: { method: 'GET', path: '/annotation-queues/{queue_id}' },
  update: { method: 'PATCH', path: '/annotation-queues/{queue_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/annotation-queues/{queue_id}', access: 'write' },
  size: { method: 'GET', path: '/annotation-queues/{queue_id}/size' },
  totalSize: { method: 'GET', path: '/annotation-queues/{queue_id}/total_size' },
  totalArchived: { method: 'GET', path: '/annotation-queues/{queue_id}/total_archived' },
  populate: { method: 'POST', path: '/annotation-queues/populate', access: 'write' },
  updateReview: { method: 'POST', path: '/annotation-queues/status/{queue_run_id}', access: 'write' },
  addRuns: { method: 'POST', path: '/annotation-queues/{queue_id}/runs', access: 'write' },
  addRunsByKey: { method: 'POST', path: '/annotation-queues/{queue_id}/runs/by-key', access: 'write' },
  listRuns: { method: 'GET', path: '/annotation-queues/{queue_id}/runs' },
  readRun: { method: 'GET', path: '/annotation-queues/{queue_id}/run/{index}' },
  takeNext: { method: 'POST', path: '/annotation-queues/{queue_id}/runs/next', access: 'write' },
  updateRun: { method: 'PATCH', path: '/annotation-queues/{queue_id}/runs/{queue_run_id}', access: 'write' },
  deleteRun: { method: 'DELETE', path: '/annotation-queues/{queue_id}/runs/{queue_run_id}', access: 'write' },
  deleteRuns: { method: 'POST', path: '/annotation-queues/{queue_id}/runs/delete', access: 'write' },
  addExample: { method: 'POST', path: '/annotation-queues/{queue_id}/runs/{queue_run_id}/example', access: 'write' },
  export: { method: 'POST', path: '/annotation-queues/{queue_id}/export' },
  queuesOfRun: { method: 'GET', path: '/annotation-queues/{run_id}/queues' },
  resolveRun: { method: 'GET', path: '/annotation-queues/{queue_id}/runs/resolve/{queue_run_id}' },
} as const satisfies PlainRoutes

export const annotationQueueItems = {
  add: { method: 'POST', path: '/annotation-queues/{queue_id}/items', family: 'platform', access: 'write' },
  list: { method: 'GET', path: '/annotation-queues/{queue_id}/items', family: 'platform' },
  takeNext: { method: 'POST', path: '/annotation-queues/{queue_id}/items/next', family: 'platform', access: 'write' },
  count: { method: 'GET', path: '/annotation-queues/{queue_id}/items/count', family: 'platform' },
  update: {
    method: 'PATCH',
    path: '/annotation-queues/{queue_id}/items/{item_id}',
    family: 'platform',
    access: 'write',
  },
  delete: { method: 'POST', path: '/annotation-queues/{queue_id}/items/delete', family: 'platform', access: 'write' },
  placement: { method: 'GET', path: '/annotation-queues/{queue_id}/items/{item_id}/placement', family: 'platform' },
  updateReview: {
    method: 'POST',
    path: '/annotation-queues/items/{item_id}/status',
    family: 'platform',
    access: 'write',
  },
  addReviewer: { method: 'POST', path: '/annotation-queues/{queue_id}/reviewers', family: 'platform', access: 'write' },
  removeReviewer: {
    method: 'DELETE',
    path: '/annotation-queues/{queue_id}/reviewers/{identity_id}',
    family: 'platform',
    access: 'write',
  },
} as const satisfies PlainRoutes

export const prompts = {
  create: { method: 'POST', path: '/repos', access: 'write', errors: 'platform' },
  list: { method: 'GET', path: '/repos', errors: 'platform' },
  listTags: { method: 'GET', path: '/repos/tags', errors: 'platform' },
  deleteMany: { method: 'DELETE', path: '/repos', access: 'write', errors: 'platform' },
  read: { method: 'GET', path: '/repos/{owner}/{repo}', access: 'optional', errors: 'platform' },
  update: { method: 'PATCH', path: '/repos/{owner}/{repo}', access: 'write', errors: 'platform' },
  delete: { method: 'DELETE', path: '/repos/{owner}/{repo}', access: 'write', errors: 'platform' },
  fork: { method: 'POST', path: '/repos/{owner}/{repo}/fork', access: 'write', errors: 'platform' },
  like: { method: 'POST', path: '/likes/{owner}/{repo}', access: 'write', errors: 'platform' },
  listComments: { method: 'GET', path: '/comments/{owner}/{repo}', access: 'optional', errors: 'platform' },
  comment: { method: 'POST', path: '/comments/{owner}/{repo}', access: 'write', errors: 'platform' },
  listReplies: { method: 'GET', path: '/comments/{owner}/{repo}/{comment_id}', access: 'optional', errors: 'platform' },
  reply: { method: 'POST', path: '/comments/{owner}/{repo}/{comment_id}', access: 'write', errors: 'platform' },
  likeComment: {
    method: 'POST',
    path: '/comments/{owner}/{repo}/{comment_id}/like',
    access: 'write',
    errors: 'platform',
  },
  unlikeComment: {
    method: 'DELETE',
    path: '/comments/{owner}/{repo}/{comment_id}/like',
    access: 'write',
    errors: 'platform',
  },
} as const satisfies PlainRoutes

export const promptCommits = {
  create: { method: 'POST', path: '/commits/{owner}/{repo}', access: 'write', errors: 'platform' },
  list: { method: 'GET', path: '/commits/{owner}/{repo}', access: 'optional', errors: 'platform' },
  read: { method: 'GET', path: '/commits/{owner}/{repo}/{commit}', access: 'optional', errors: 'platform' },
  listTags: { method: 'GET', path: '/repos/{owner}/{repo}/tags', access: 'optional', errors: 'platform' },
  createTag: { method: 'POST', path: '/repos/{owner}/{repo}/tags', access: 'write', errors: 'platform' },
  readTag: { method: 'GET', path: '/repos/{owner}/{repo}/tags/{tag_name}', access: 'optional', errors: 'platform' },
  moveTag: { method: 'PATCH', path: '/repos/{owner}/{repo}/tags/{tag_name}', access: 'write', errors: 'platform' },
  deleteTag: { method: 'DELETE', path: '/repos/{owner}/{repo}/tags/{tag_name}', access: 'write', errors: 'platform' },
  tagHistory: {
    method: 'GET',
    path: '/repos/{owner}/{repo}/tags/{tag_name}/history',
    access: 'optional',
    errors: 'platform',
  },
} as const satisfies PlainRoutes

export const promptEnvironments = {
  read: { method: 'GET', path: '/hub/environments' },
  create: { method: 'POST', path: '/hub/environments', access: 'admin' },
  update: { method: 'PATCH', path: '/hub/environments/{id}', access: 'admin' },
  delete: { method: 'DELETE', path: '/hub/environments/{id}', access: 'admin' },
} as const satisfies PlainRoutes

export const promptWebhooks = {
  list: { method: 'GET', path: '/prompt-webhooks' },
  create: { method: 'POST', path: '/prompt-webhooks', access: 'admin' },
  read: { method: 'GET', path: '/prompt-webhooks/{webhook_id}' },
  update: { method: 'PATCH', path: '/prompt-webhooks/{webhook_id}', access: 'admin' },
  delete: { method: 'DELETE', path: '/prompt-webhooks/{webhook_id}', access: 'admin' },
  test: { method: 'POST', path: '/prompt-webhooks/test', access: 'admin' },
  deliveries: { method: 'GET', path: '/prompt-webhooks/{webhook_id}/deliveries', access: 'admin' },
} as const satisfies PlainRoutes

export const hubDirectories = {
  read: { method: 'GET', path: '/hub/repos/{owner}/{repo}/directories', family: 'platform', access: 'optional' },
  commit: {
    method: 'POST',
    path: '/hub/repos/{owner}/{repo}/directories/commits',
    family: 'platform',
    access: 'write',
  },
  delete: { method: 'DELETE', path: '/hub/repos/{owner}/{repo}/directories', family: 'platform', access: 'write' },
} as const satisfies PlainRoutes

export const workspaces = {
  settings: { method: 'GET', path: '/settings' },
  setHandle: { method: 'POST', path: '/settings/handle', access: 'admin' },
  rename: { method: 'PATCH', path: '/workspaces/current', access: 'admin' },
  create: { method: 'POST', path: '/workspaces', access: 'admin' },
  update: { method: 'PATCH', path: '/workspaces/{id}', access: 'admin' },
  delete: { method: 'DELETE', path: '/workspaces/{id}', access: 'admin' },
  list: { method: 'GET', path: '/workspaces' },
  tenants: { method: 'GET', path: '/tenants' },
  stats: { method: 'GET', path: '/workspaces/current/stats' },
  secrets: { method: 'GET', path: '/workspaces/current/secrets' },
  organization: { method: 'GET', path: '/orgs/current' },
  whoAmI: { method: 'GET', path: '/auth/public' },
} as const satisfies PlainRoutes

export const apiKeys = {
  list: { method: 'GET', path: '/api-key' },
  create: { method: 'POST', path: '/api-key', access: 'write' },
  revoke: { method: 'DELETE', path: '/api-key/{id}', access: 'write' },
} as const satisfies PlainRoutes

export const backups = {
  list: { method: 'GET', path: '/backups', access: 'server-admin' },
  create: { method: 'POST', path: '/backups', access: 'server-admin' },
  read: { method: 'GET', path: '/backups/{backup_id}', access: 'server-admin' },
} as const satisfies PlainRoutes

export const accounts = {
  state: { method: 'GET', path: '/auth/state', access: 'public' },
  setUp: { method: 'POST', path: '/auth/setup', access: 'public' },
  signIn: { method: 'POST', path: '/auth/login', access: 'public' },
  signOut: { method: 'POST', path: '/auth/logout', access: 'public' },
  me: { method: 'GET', path: '/auth/me' },
  update: { method: 'PATCH', path: '/auth/me' },
  changePassword: { method: 'POST', path: '/auth/password' },
  listSignIns: { method: 'GET', path: '/auth/sign-ins' },
  endSignIn: { method: 'DELETE', path: '/auth/sign-ins/{id}' },
  leave: { method: 'POST', path: '/auth/leave' },
} as const satisfies PlainRoutes

export const members = {
  list: { method: 'GET', path: '/workspaces/current/members' },
  changeRole: { method: 'PATCH', path: '/workspaces/current/members/{id}', access: 'admin' },
  remove: { method: 'DELETE', path: '/workspaces/current/members/{id}', access: 'admin' },
  listInvites: { method: 'GET', path: '/workspaces/current/invites', access: 'admin' },
  invite: { method: 'POST', path: '/workspaces/current/invites', access: 'admin' },
  revokeInvite: { method: 'DELETE', path: '/workspaces/current/invites/{id}', access: 'admin' },
  readInvite: { method: 'GET', path: '/auth/invites/{token}', access: 'public' },
  acceptInvite: { method: 'POST', path: '/auth/invites/{token}', access: 'public' },
  joinByInvite: { method: 'POST', path: '/auth/invites/{token}/join' },
} as const satisfies PlainRoutes

export const serverAdmins = {
  list: { method: 'GET', path: '/server/admins', access: 'server-admin' },
  appoint: { method: 'POST', path: '/server/admins', access: 'server-admin' },
  remove: { method: 'DELETE', path: '/server/admins/{id}', access: 'server-admin' },
} as const satisfies PlainRoutes

export const modelPrices = {
  list: { method: 'GET', path: '/model-price-map' },
  create: { method: 'POST', path: '/model-price-map', access: 'write' },
  update: { method: 'PUT', path: '/model-price-map/{id}', access: 'write' },
  delete: { method: 'DELETE', path: '/model-price-map/{id}', access: 'write' },
  test: { method: 'POST', path: '/model-price-map/test' },
  unpriced: { method: 'GET', path: '/model-price-map/unpriced' },
} as const satisfies PlainRoutes

export const retention = {
  readWorkspace: { method: 'GET', path: '/workspaces/current/retention' },
  setWorkspace: { method: 'PUT', path: '/workspaces/current/retention', access: 'admin' },
  estimateWorkspace: { method: 'GET', path: '/workspaces/current/retention/estimate' },
  readProject: { method: 'GET', path: '/sessions/{session_id}/retention' },
  setProject: { method: 'PUT', path: '/sessions/{session_id}/retention', access: 'write' },
  estimateProject: { method: 'GET', path: '/sessions/{session_id}/retention/estimate' },
} as const satisfies PlainRoutes

export const deletions = {
  list: { method: 'GET', path: '/workspaces/current/deletions' },
  read: { method: 'GET', path: '/workspaces/current/deletions/{deletion_id}' },
} as const satisfies PlainRoutes

export const usage = {
  read: { method: 'GET', path: '/workspaces/current/usage' },
  storage: { method: 'GET', path: '/workspaces/current/storage', access: 'admin' },
  activity: { method: 'GET', path: '/workspaces/current/activity' },
} as const satisfies PlainRoutes

export const savedViews = {
  list: { method: 'GET', path: '/ui/views' },
  create: { method: 'POST', path: '/ui/views', access: 'write' },
  update: { method: 'PATCH', path: '/ui/views/{view_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/ui/views/{view_id}', access: 'write' },
} as const satisfies PlainRoutes

export const dashboards = {
  create: { method: 'POST', path: '/dashboards', access: 'write' },
  list: { method: 'GET', path: '/dashboards' },
  read: { method: 'GET', path: '/dashboards/{dashboard_id}' },
  update: { method: 'PATCH', path: '/dashboards/{dashboard_id}', access: 'write' },
  delete: { method: 'DELETE', path: '/dashboards/{dashboard_id}', access: 'write' },
} as const satisfies PlainRoutes

export const runValues = {
  query: { method: 'POST', path: '/runs/values' },
} as const satisfies PlainRoutes
