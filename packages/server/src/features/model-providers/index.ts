export { openModelOutbound } from './model-outbound.ts'
export { getModelConnection, type ProviderAccess, type ProviderDeps, readProviderAccess } from './providers.ts'
export { modelProviderRoutes } from './routes.ts'
