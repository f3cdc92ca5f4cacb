import type { PlainRoutes } from '../wire/route.ts'

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
