export type { JobEvaluators } from './record-call.ts'
export { playgroundRoutes } from './routes.ts'
