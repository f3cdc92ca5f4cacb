import { contract } from '@touchstone/contract'
import { type App, serve } from '../../http/serve.ts'
import { runStatement, type SqlDeps } from './run-statement.ts'
import { StatementQueue } from './statement-queue.ts'

export function sqlRoutes(app: App, given: Omit<SqlDeps, 'turns'>): void {
  const deps: SqlDeps = { ...given, turns: new StatementQueue() }
  serve(app, contract.sql.query, ({ caller, body }) => runStatement(deps, caller.tenantId, body))
}
