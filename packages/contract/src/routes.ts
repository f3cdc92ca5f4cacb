/*
 * Every call that the server answers, as plain data: method, path, path family, access and error form. No value of this
 * module needs zod, so clients can bundle the nouns that they use. `describeRoutes` adds shapes and summaries.
 * They are in a file for each noun, so that the first page of the UI does not load the routes of all others.
 */

export * from './accounts/routes.ts'
export * from './alerts/routes.ts'
export * from './annotation-queues/routes.ts'
export * from './budgets/routes.ts'
export * from './dashboards/routes.ts'
export * from './datasets/example-routes.ts'
export * from './datasets/routes.ts'
export * from './datasets/sharing-routes.ts'
export * from './evaluators/routes.ts'
export * from './experiments/routes.ts'
export * from './feedback/routes.ts'
export * from './ingest/opentelemetry-routes.ts'
export * from './ingest/receipt-routes.ts'
export * from './lifecycle/routes.ts'
export * from './models/routes.ts'
export * from './notifications/routes.ts'
export * from './playground/routes.ts'
export * from './projects/routes.ts'
export * from './prompts/routes.ts'
export * from './rules/routes.ts'
export * from './runs/routes.ts'
export * from './server/routes.ts'
export * from './sharing/routes.ts'
export * from './sql/routes.ts'
export * from './threads/routes.ts'
export * from './traces/routes.ts'
