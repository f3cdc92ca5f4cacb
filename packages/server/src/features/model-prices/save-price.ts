import { ApiError, type ModelPrice, type ModelPriceWrite, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { isStorable } from '../../storage/relational/columns.ts'
import type { ModelPriceRow } from '../../storage/relational/tables/model-prices.ts'
import { builtInPrices } from './built-in/prices.ts'
import { compilePattern } from './price-book.ts'
import { presentPrice, selectPrice, upsertPrice } from './store.ts'

type PriceDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** @throws ApiError INVALID_REQUEST when its pattern is no regular expression */
export async function addPrice(deps: PriceDeps, tenantId: string, wish: ModelPriceWrite): Promise<ModelPrice> {
  return savePrice(deps, tenantId, deps.ids(), wish)
}

/**
 * Replaces a price; of a built-in one, for this workspace alone.
 *
 * @throws ApiError NOT_FOUND, or INVALID_REQUEST when the pattern is no regular expression
 */
export async function replacePrice(
  deps: PriceDeps,
  tenantId: string,
  id: string,
  wish: ModelPriceWrite,
): Promise<ModelPrice> {
  await getPrice(deps, tenantId, id)
  return savePrice(deps, tenantId, id, wish)
}

/** Deletes a price; a built-in one is hidden from this workspace. @throws ApiError NOT_FOUND */
export async function deletePrice(deps: PriceDeps, tenantId: string, id: string): Promise<void> {
  const price = await getPrice(deps, tenantId, id)
  await upsertPrice(deps.relational.db, { ...toRow(deps, tenantId, id, price), is_deleted: true })
}

async function getPrice({ relational }: PriceDeps, tenantId: string, id: string): Promise<ModelPrice> {
  const row = await selectPrice(relational.db, tenantId, id)
  const price = row === undefined ? builtInPrices.find((one) => one.id === id) : presentPrice(row)
  if (price === undefined || row?.is_deleted) throw new ApiError('NOT_FOUND', 'Model price not found')
  return price
}

async function savePrice(deps: PriceDeps, tenantId: string, id: string, wish: ModelPriceWrite): Promise<ModelPrice> {
  compilePattern(wish.match_pattern)
  const texts = [wish.name, wish.match_pattern, wish.provider ?? '', ...wish.match_path]
  if (!isStorable(texts.join(''))) throw new ApiError('INVALID_REQUEST', 'A price cannot hold NUL or broken UTF-16.')
  const row = toRow(deps, tenantId, id, wish)
  await upsertPrice(deps.relational.db, row)
  return presentPrice(row)
}

function toRow({ clock }: PriceDeps, tenantId: string, id: string, wish: ModelPriceWrite): ModelPriceRow {
  return {
    tenant_id: tenantId,
    id,
    is_deleted: false,
    name: wish.name,
    match_pattern: wish.match_pattern,
    match_path: wish.match_path,
    provider: wish.provider ?? null,
    start_time: wish.start_time ?? null,
    prompt_cost: wish.prompt_cost,
    completion_cost: wish.completion_cost,
    prompt_cost_details: wish.prompt_cost_details ?? null,
    completion_cost_details: wish.completion_cost_details ?? null,
    created_at: timeOfEpochMs(clock()),
  }
}
