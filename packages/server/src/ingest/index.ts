export { type Ingest, openIngest } from './open-ingest.ts'
export { ingestRoutes } from './routes.ts'
