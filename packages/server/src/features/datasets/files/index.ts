export { datasetFileRoutes } from './routes.ts'
export { streamExamples } from './stream-examples.ts'
