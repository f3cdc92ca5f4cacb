import { contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, serve } from '../../http/serve.ts'
import type { PriceBook } from './price-book.ts'
import { addPrice, deletePrice, replacePrice } from './save-price.ts'

export function modelPriceRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock' | 'ids'>, book: PriceBook): void {
  const { modelPrices } = contract

  serve(app, modelPrices.list, async ({ caller }) => book.list(caller.tenantId))

  serve(app, modelPrices.create, async ({ caller, body }) => {
    const price = await addPrice(deps, caller.tenantId, body)
    await book.refresh()
    return price
  })

  serve(app, modelPrices.update, async ({ caller, params, body }) => {
    const price = await replacePrice(deps, caller.tenantId, params.id, body)
    await book.refresh()
    return price
  })

  serve(app, modelPrices.delete, async ({ caller, params }) => {
    await deletePrice(deps, caller.tenantId, params.id)
    await book.refresh()
  })
}
