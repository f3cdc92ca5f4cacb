export { forgetProviders } from './cached-providers.ts'
export { openModelOutbound } from './model-outbound.ts'
export { type ProviderAccess, type ProviderDeps, readProviderAccess } from './providers.ts'
export { modelProviderRoutes } from './routes.ts'
export {
  assertMaySpend,
  MAY_COST,
  type PlannedSpending,
  reserveSpending,
  type SpendingDeps,
} from './spending.ts'
export { selectProviders } from './store.ts'
