export { playgroundRoutes } from './routes.ts'
