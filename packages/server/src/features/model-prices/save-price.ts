import {
  ApiError,
  type ModelPrice,
  type ModelPriceUpdate,
  type ModelPriceWrite,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { assertExpected } from '../../storage/relational/expected.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { ModelPriceRow } from '../../storage/relational/tables/projects.ts'
import { compilePattern, type PriceBook } from './price-book.ts'
import { lockPrice, presentPrice, selectPrice, upsertPrice } from './store.ts'

type WriteDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>
type PriceDeps = WriteDeps & { readonly book: Pick<PriceBook, 'findBuiltIn'> }

/** @throws ApiError INVALID_REQUEST when the pattern is not a regular expression */
export async function addPrice(deps: WriteDeps, tenantId: string, request: ModelPriceWrite): Promise<ModelPrice> {
  assertPrice(request)
  const row = toRow(deps, tenantId, deps.ids(), request)
  await upsertPrice(deps.relational.db, row)
  return presentPrice(row)
}

/**
 * Replaces a price; a built-in price is replaced for this workspace only.
 *
 * @throws ApiError NOT_FOUND, CONFLICT when an expected value was changed, or INVALID_REQUEST when the pattern is not a
 *   regular expression
 */
export async function replacePrice(
  deps: PriceDeps,
  tenantId: string,
  id: string,
  { expected, ...request }: ModelPriceUpdate,
): Promise<ModelPrice> {
  assertPrice(request)
  return deps.relational.transaction(async (tx) => {
    await lockPrice(tx, tenantId, id)
    assertExpected('The price', expected, { ...(await getPrice({ ...deps, db: tx }, tenantId, id)) })
    const row = toRow(deps, tenantId, id, request)
    await upsertPrice(tx, row)
    return presentPrice(row)
  })
}

/** Deletes a price; a built-in one is hidden from this workspace. @throws ApiError NOT_FOUND */
export async function deletePrice(deps: PriceDeps, tenantId: string, id: string): Promise<void> {
  const price = await getPrice({ ...deps, db: deps.relational.db }, tenantId, id)
  await upsertPrice(deps.relational.db, { ...toRow(deps, tenantId, id, price), is_deleted: true })
}

async function getPrice(
  { book, db }: Pick<PriceDeps, 'book'> & { readonly db: Database },
  tenantId: string,
  id: string,
): Promise<ModelPrice> {
  const row = await selectPrice(db, tenantId, id)
  const price = row === undefined ? book.findBuiltIn(id) : presentPrice(row)
  if (price === undefined || row?.is_deleted) throw new ApiError('NOT_FOUND', 'Model price not found')
  return price
}

/** @throws ApiError INVALID_REQUEST */
function assertPrice(request: ModelPriceWrite): void {
  compilePattern(request.match_pattern)
}

function toRow({ clock }: Pick<Deps, 'clock'>, tenantId: string, id: string, request: ModelPriceWrite): ModelPriceRow {
  return {
    tenant_id: tenantId,
    id,
    is_deleted: false,
    name: request.name,
    match_pattern: request.match_pattern,
    match_path: request.match_path,
    provider: request.provider ?? null,
    start_time: request.start_time ?? null,
    prompt_cost: request.prompt_cost,
    completion_cost: request.completion_cost,
    prompt_cost_details: request.prompt_cost_details ?? null,
    completion_cost_details: request.completion_cost_details ?? null,
    created_at: timeOfEpochMs(clock()),
  }
}
