import { contract } from '@touchstone/contract'
import { type App, serve } from '../../http/serve.ts'
import { runStatement, type SqlDeps, StatementQueue } from './run-statement.ts'

export function sqlRoutes(app: App, given: Omit<SqlDeps, 'turns'>): void {
  const deps: SqlDeps = { ...given, turns: new StatementQueue() }
  serve(app, contract.sql.query, ({ caller, body }) => runStatement(deps, caller.tenantId, body))
}
