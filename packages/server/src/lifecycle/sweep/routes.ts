import { contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, serve } from '../../http/serve.ts'
import type { Jobs } from '../../jobs/index.ts'
import { getDeletion, listDeletions } from './present.ts'
import { type SweepDeps, sweepRegularly } from './sweep/sweep-regularly.ts'

export function deletionRoutes(app: App, deps: SweepDeps & Pick<Deps, 'relational'> & { readonly jobs: Jobs }): void {
  const { db } = deps.relational
  sweepRegularly(deps)
  serve(app, contract.deletions.list, ({ caller, query }) => listDeletions(db, caller, query))
  serve(app, contract.deletions.read, ({ caller, params }) => getDeletion(db, caller, params.deletion_id))
}
