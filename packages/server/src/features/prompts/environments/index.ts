export { assertCanMoveTags, assertTagName, TAG_NAME } from './environments.ts'
export { promptEnvironmentRoutes } from './routes.ts'
