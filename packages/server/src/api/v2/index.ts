export { v2Routes } from './routes.ts'
