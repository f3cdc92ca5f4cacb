import { contract, type ModelPriceTest, type ModelPriceTestAnswer, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, serve } from '../../http/serve.ts'
import { isValidAt, type PriceBook } from './price-book.ts'
import { addPrice, deletePrice, replacePrice } from './save-price.ts'
import { listUnpriced } from './unpriced-models.ts'

type RouteDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'>

export function modelPriceRoutes(app: App, deps: RouteDeps, book: PriceBook): void {
  const { modelPrices } = contract

  serve(app, modelPrices.test, async ({ caller, body }) => {
    await book.refreshIfShared()
    return testModel(deps, book, caller.tenantId, body)
  })

  serve(app, modelPrices.unpriced, async ({ caller, query }) => {
    await book.refreshIfShared()
    return listUnpriced(deps, book, caller.tenantId, { days: query.days, projectId: query.session_id })
  })

  serve(app, modelPrices.list, async ({ caller }) => {
    await book.refreshIfShared()
    return book.list(caller.tenantId)
  })

  serve(app, modelPrices.create, async ({ caller, body }) => {
    const price = await addPrice(deps, caller.tenantId, body)
    await book.refresh()
    return price
  })

  serve(app, modelPrices.update, async ({ caller, params, body }) => {
    const price = await replacePrice({ ...deps, book }, caller.tenantId, params.id, body)
    await book.refresh()
    return price
  })

  serve(app, modelPrices.delete, async ({ caller, params }) => {
    await deletePrice({ ...deps, book }, caller.tenantId, params.id)
    await book.refresh()
  })
}

/** The price that a run of a model would get, and the other prices that match its name. */
function testModel(
  { clock }: Pick<Deps, 'clock'>,
  book: PriceBook,
  tenantId: string,
  { model, provider, start_time }: ModelPriceTest,
): ModelPriceTestAnswer {
  const fitting = book.fitting({ tenantId, model, provider: provider || undefined })
  const at = start_time ?? timeOfEpochMs(clock())
  const price = fitting.find((one) => isValidAt(one, at)) ?? null
  return { price, others: fitting.filter((one) => one !== price) }
}
