export { estimateCosts, type RepriceDeps } from './estimate-costs.ts'
export type { ComputeCosts, PricedSelection } from './priced-runs.ts'
export { repriceRuns, restoreCosts } from './reprice-runs.ts'
export { type CostWrite, isSameCosts, type RunCosts, type SubmitCosts } from './run-costs.ts'
