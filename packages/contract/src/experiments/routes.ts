import type { PlainRoutes } from '../wire/route.ts'

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

export const experimentCells = {
  read: { method: 'POST', path: '/datasets/{dataset_id}/experiments/cells' },
  search: { method: 'POST', path: '/datasets/{dataset_id}/experiments/search' },
} as const satisfies PlainRoutes
