export { streamExamples } from './export-dataset.ts'
export { datasetFileRoutes } from './routes.ts'
