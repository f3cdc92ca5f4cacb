export { resolveAddress } from './resolve-address.ts'
export { agentRoutes } from './routes.ts'
export { selectAgentProjectIds } from './store.ts'
