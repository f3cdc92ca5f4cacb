import type { PlainRoutes } from '../wire/route.ts'

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
  restore: { method: 'POST', path: '/datasets/{dataset_id}/versions/restore', access: 'write' },
  listSplits: { method: 'GET', path: '/datasets/{dataset_id}/splits' },
  updateSplits: { method: 'PUT', path: '/datasets/{dataset_id}/splits', access: 'write' },
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

export const datasetsV2 = {
  list: { method: 'GET', path: '/datasets', family: 'v2' },
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
  publicStatistics: {
    method: 'POST',
    path: '/public/{share_token}/datasets/experiments/statistics',
    access: 'public',
  },
  publicCells: { method: 'POST', path: '/public/{share_token}/datasets/experiments/cells', access: 'public' },
  publicSearch: { method: 'POST', path: '/public/{share_token}/datasets/experiments/search', access: 'public' },
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
