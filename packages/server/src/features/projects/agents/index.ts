export { selectAgentProjectIds } from './agents.ts'
export { resolveAddress } from './resolve-address.ts'
export { agentRoutes } from './routes.ts'
