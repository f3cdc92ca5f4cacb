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
