import type { ModelPrice } from '@touchstone/contract'
import type { ModelPriceRow } from '../../storage/relational/tables/model-prices.ts'

export function presentPrice(row: ModelPriceRow): ModelPrice {
  return {
    id: row.id,
    name: row.name,
    match_pattern: row.match_pattern,
    match_path: row.match_path,
    provider: row.provider,
    start_time: row.start_time,
    prompt_cost: row.prompt_cost,
    completion_cost: row.completion_cost,
    prompt_cost_details: row.prompt_cost_details,
    completion_cost_details: row.completion_cost_details,
    built_in: false,
    source: null,
  }
}
