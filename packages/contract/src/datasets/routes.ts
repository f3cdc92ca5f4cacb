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
