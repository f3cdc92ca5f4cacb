import { type ModelPriceTest, type ModelPriceTestAnswer, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { holdsAt, type PriceBook } from './price-book.ts'

/** Which price a run of a model would get, and which others fit its name. */
export function testModel(
  { clock }: Pick<Deps, 'clock'>,
  book: PriceBook,
  tenantId: string,
  { model, provider, start_time }: ModelPriceTest,
): ModelPriceTestAnswer {
  const fitting = book.fitting({ tenantId, model, provider: provider || undefined })
  const at = start_time ?? timeOfEpochMs(clock())
  const price = fitting.find((one) => holdsAt(one, at)) ?? null
  return { price, others: fitting.filter((one) => one !== price) }
}
