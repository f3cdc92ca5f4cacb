/*
 * Every call that the server answers, as plain data: method, path, path family, access and error form. No value of this
 * module needs zod, so clients can bundle the nouns that they use. `describeRoutes` adds shapes and summaries.
 * They are grouped in files, so that the first page of the UI does not load the routes of all others.
 */

export * from './routes/administration.ts'
export * from './routes/annotation-queues.ts'
export * from './routes/datasets.ts'
export * from './routes/experiments.ts'
export * from './routes/feedback.ts'
export * from './routes/ingest-receipts.ts'
export * from './routes/model-providers.ts'
export * from './routes/opentelemetry.ts'
export * from './routes/playground.ts'
export * from './routes/prompts.ts'
export * from './routes/saved-evaluators.ts'
export * from './routes/sharing.ts'
export * from './routes/spending.ts'
export * from './routes/tracing.ts'
export * from './routes/v2.ts'
export * from './routes/workspaces.ts'
