import { contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../http/router.ts'
import { serve } from '../../../http/serve.ts'
import type { Keyring } from './keyring.ts'
import { createKey, presentKey, revokeKey } from './keys.ts'
import { selectKeys } from './store.ts'

export function authRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock' | 'ids'>, keyring: Keyring): void {
  const { db } = deps.relational

  serve(app, contract.apiKeys.list, async ({ caller }) => (await selectKeys(db, caller.tenantId)).map(presentKey))

  serve(app, contract.apiKeys.create, async ({ caller, body }) => {
    const key = await createKey(deps, caller, body)
    keyring.forget()
    return key
  })

  serve(app, contract.apiKeys.revoke, async ({ caller, params }) => {
    const row = await revokeKey(deps, caller, params.id)
    keyring.forget()
    return presentKey(row)
  })
}
