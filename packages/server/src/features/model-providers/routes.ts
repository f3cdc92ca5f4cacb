import { contract } from '@touchstone/contract'
import { type App, serve } from '../../http/serve.ts'
import {
  changeProvider,
  createProvider,
  listProviders,
  type ProviderDeps,
  readProvider,
  removeProvider,
  type WorkspaceLock,
} from './providers.ts'
import { readSecretKeyStatus, rotateSecretKeys, type SecretDeps } from './secrets.ts'
import { readSpending, type SpendingDeps, setSpendingLimits } from './spending.ts'
import { listAvailableModels, type ModelPriceTable, testProvider } from './test-provider.ts'

export function modelProviderRoutes(
  app: App,
  deps: ProviderDeps & SecretDeps & WorkspaceLock & SpendingDeps & { readonly priceTable: ModelPriceTable },
): void {
  const { modelProviders, spending } = contract

  serve(app, modelProviders.list, ({ caller }) => listProviders(deps, caller.tenantId))

  serve(app, modelProviders.create, ({ caller, body }) => createProvider(deps, caller.tenantId, body))

  serve(app, modelProviders.keyStatus, () => readSecretKeyStatus(deps))

  serve(app, modelProviders.rotateKeys, () => rotateSecretKeys(deps))

  serve(app, modelProviders.test, ({ caller, body }) => testProvider(deps, caller.tenantId, body))

  serve(app, modelProviders.read, ({ caller, params }) => readProvider(deps, caller.tenantId, params.provider_id))

  serve(app, modelProviders.update, ({ caller, params, body }) =>
    changeProvider(deps, caller.tenantId, params.provider_id, body),
  )

  serve(app, modelProviders.delete, ({ caller, params }) => removeProvider(deps, caller.tenantId, params.provider_id))

  serve(app, modelProviders.listModels, ({ caller, params }) =>
    listAvailableModels(deps, caller.tenantId, params.provider_id),
  )

  serve(app, spending.read, ({ caller }) => readSpending(deps, caller.tenantId))

  serve(app, spending.setLimits, ({ caller, body }) => setSpendingLimits(deps, caller.tenantId, body))
}
