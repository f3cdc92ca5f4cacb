import type { PlainRoute } from '../wire/route.ts'

// One by one, so that a program that only traces bundles nothing else.

export const readInfo = { method: 'GET', path: '/info', access: 'public' } as const satisfies PlainRoute
export const createRun = {
  method: 'POST',
  path: '/runs',
  access: 'write',
  errors: 'ingest',
} as const satisfies PlainRoute
export const updateRun = {
  method: 'PATCH',
  path: '/runs/{run_id}',
  access: 'write',
  errors: 'ingest',
} as const satisfies PlainRoute
export const ingestBatch = {
  method: 'POST',
  path: '/runs/batch',
  access: 'write',
  errors: 'ingest',
} as const satisfies PlainRoute
export const ingestMultipart = {
  method: 'POST',
  path: '/runs/multipart',
  access: 'write',
  errors: 'ingest',
} as const satisfies PlainRoute
