export { deleteClaimsOfProjects, deleteClaimsOfTraces } from './engine/claims.ts'
export { RuleEngine } from './engine/rule-engine.ts'
export { deleteDecisionsWhere } from './ledger.ts'
export { ruleRoutes } from './routes.ts'
