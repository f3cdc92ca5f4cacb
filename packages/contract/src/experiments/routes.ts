import type { PlainRoutes } from '../wire/route.ts'

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
