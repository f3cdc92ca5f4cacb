/** Prices are US dollars per token. */
export interface ModelPriceWrite {
  name: string
  /** Regular expression on the model's name. */
  match_pattern: string
  match_path?: string[] | undefined
  /** Equals the run's `ls_provider`; null fits every provider. */
  provider?: string | null | undefined
  /** First moment at which the price holds; null means always. */
  start_time?: string | null | undefined
  prompt_cost: number | string
  completion_cost: number | string
  prompt_cost_details?: Record<string, number | string> | null | undefined
  completion_cost_details?: Record<string, number | string> | null | undefined
}

export interface ModelPrice {
  id: string
  name: string
  match_pattern: string
  match_path: string[]
  provider: string | null
  start_time: string | null
  prompt_cost: string
  completion_cost: string
  prompt_cost_details: Record<string, string> | null
  completion_cost_details: Record<string, string> | null
  built_in: boolean
  source: string | null
}

/** A model as runs name it. */
export interface ModelPriceTest {
  model: string
  provider?: string | null | undefined
  /** When the run starts; now when absent. */
  start_time?: string | null | undefined
}

export interface ModelPriceTestAnswer {
  /** What a run of that model would be priced with; null when nothing fits. */
  price: ModelPrice | null
  /** Other prices that fit the model: less specific ones, and ones that hold at another time. */
  others: ModelPrice[]
}

/** A model whose runs used tokens and cost nobody knows how much. */
export interface UnpricedModel {
  model: string
  provider: string | null
  run_count: number
  prompt_tokens: number
  completion_tokens: number
  last_seen_at: string
  /** The price that its next run would get, when one was added since. */
  price_now: ModelPrice | null
}
