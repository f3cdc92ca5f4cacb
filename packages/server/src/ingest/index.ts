export { type Ingest, openIngest } from './open-ingest.ts'
export { type ReceiveDeps, receive } from './receive.ts'
export { ingestRoutes } from './routes.ts'
