export { openModelOutbound } from './model-outbound.ts'
export { getModelConnection, type ProviderDeps } from './providers.ts'
export { modelProviderRoutes } from './routes.ts'
