export { hubDirectoryRoutes } from './directories.ts'
