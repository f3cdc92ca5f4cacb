export { hubDirectoryRoutes } from './routes.ts'
