import { z } from 'zod'
import * as routes from '../routes.ts'
import { BulkJob } from '../runs/bulk-jobs.ts'
import { Uuid } from '../wire/ids.ts'
import { clamped } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { identifierText, repairedText } from '../wire/text.ts'
import { Time } from '../wire/time.ts'

/** JavaScript and Python print small numbers as `1e-7` and `1e-07`; stored prices have digits only. */
function withoutExponent(text: string): string {
  const [, whole = '', fraction = '', exponent] = /^(\d+)(?:\.(\d+))?e([+-]?\d{1,2})$/i.exec(text) ?? []
  if (exponent === undefined) return text
  const point = whole.length + Number(exponent)
  const digits = (whole + fraction).padEnd(point, '0').padStart(whole.length + fraction.length + 1 - point, '0')
  const end = Math.max(point, 1)
  return `${digits.slice(0, end)}.${digits.slice(end)}`.replace(/(?:\.0*|(?<!0)0+)$/, '').replace(/^0+(?=\d)/, '')
}

/** US dollars per token, exact: a number or a decimal string in, a decimal string out. */
const Dollars = z
  .union([z.number(), z.string()])
  .transform((value, context) => {
    const text = withoutExponent(String(value).trim())
    if (/^\d{1,12}(\.\d{1,18})?$/.test(text)) return text
    context.addIssue({ code: 'custom', message: 'a price is dollars per token, at most 18 decimals' })
    return z.NEVER
  })
  .meta({ type: 'string' })

export const MATCH_PATH_DEFAULT = ['model', 'model_name', 'model_id', 'model_path', 'endpoint_name']

const priceFields = {
  name: repairedText(300).min(1),
  /** Regular expression that the whole or part of a model name matches, without regard to case. */
  match_pattern: identifierText(1000).min(1),
  match_path: z.array(identifierText()).default(MATCH_PATH_DEFAULT),
  /** Equals the run's `ls_provider`; null fits every provider. */
  provider: identifierText().nullish(),
  /** First moment at which this price holds; null means always. The newest one that fits a run's start is used. */
  start_time: Time.nullish(),
  prompt_cost: Dollars,
  completion_cost: Dollars,
  /**
   * Prices of single token classes: `cache_read`, `audio`, `flex_cache_read`, `over_200k` (all tokens of a prompt above 200,000). A
   * class without a price takes that of the nearest class that has one, and the base price last.
   */
  prompt_cost_details: z.record(z.string(), Dollars).nullish(),
  completion_cost_details: z.record(z.string(), Dollars).nullish(),
}

export const ModelPriceWrite = z.object(priceFields)
export type ModelPriceWrite = z.output<typeof ModelPriceWrite>

export const ModelPriceUpdate = z.object({
  ...priceFields,
  /**
   * What the change is based on, field by field. 409 when a field has another value by now; its problems name these
   * fields. An extension of ours.
   */
  expected: z
    .object({ ...priceFields, match_path: z.array(z.string()) })
    .partial()
    .nullish(),
})
export type ModelPriceUpdate = z.output<typeof ModelPriceUpdate>

export const ModelPrice = z.object({
  id: z.string(),
  name: z.string(),
  match_pattern: z.string(),
  match_path: z.array(z.string()),
  provider: z.string().nullable(),
  start_time: z.string().nullable(),
  prompt_cost: z.string(),
  completion_cost: z.string(),
  prompt_cost_details: z.record(z.string(), z.string()).nullable(),
  completion_cost_details: z.record(z.string(), z.string()).nullable(),
  /** Came with Touchstone; it can be overridden by an entry of the same provider and pattern, or deleted. */
  built_in: z.boolean(),
  /** Where and when the price was read. */
  source: z.string().nullable(),
})
export type ModelPrice = z.infer<typeof ModelPrice>

/** A model as runs name it. */
export const ModelPriceTest = z.object({
  model: z.string().min(1).max(500),
  provider: z.string().max(300).nullish(),
  /** When the run starts; now when absent. */
  start_time: Time.nullish(),
})
export type ModelPriceTest = z.output<typeof ModelPriceTest>

export const ModelPriceTestAnswer = z.object({
  /** What a run of that model would be priced with; null when nothing fits. */
  price: ModelPrice.nullable(),
  /** Other prices that fit the model: less specific ones, and ones that hold at another time. */
  others: z.array(ModelPrice),
})
export type ModelPriceTestAnswer = z.infer<typeof ModelPriceTestAnswer>

/** A model whose runs used tokens but have no known price. */
export const UnpricedModel = z.object({
  model: z.string(),
  provider: z.string().nullable(),
  run_count: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  last_seen_at: z.string(),
  /** The price that its next run would get, when one was added since. */
  price_now: ModelPrice.nullable(),
})
export type UnpricedModel = z.infer<typeof UnpricedModel>

export const MAX_UNPRICED_MODELS = 100
/** How far back unpriced models are looked for by default. */
const UNPRICED_DAYS = 30

/** Runs of one job that prices stored runs again. */
export const MAX_REPRICED_RUNS = 1_000_000

/** Which stored runs to price again by the prices of now. Costs of models without a price stay. */
export const RepriceStart = z.object({
  /** Names as runs have them. @default all models with a price */
  models: z.array(z.string().min(1).max(500)).min(1).max(100).nullish(),
  /** Only models whose names this price fits. */
  price_id: Uuid.nullish(),
  /** Only runs of these projects. */
  session: z.array(Uuid).min(1).max(100).nullish(),
  /** Only runs that started then or later. */
  start_time: Time.nullish(),
  /** Only runs that started then or earlier. */
  end_time: Time.nullish(),
  /** Only runs without a known cost. @default false */
  only_unpriced: z.boolean().nullish(),
  /** Returns an estimate without starting a job. @default false */
  dry_run: z.boolean().nullish(),
  /** Leaves out runs that started later; a dry run returns a value. @default now */
  as_of: Time.nullish(),
  /** Expected number of runs. With more of them the request is refused with 409. */
  expected_total: z.int().nonnegative().nullish(),
})
export type RepriceStart = z.output<typeof RepriceStart>

const costs = {
  /** Runs that used tokens, and those of them that have no cost. */
  run_count: z.int(),
  unpriced_run_count: z.int(),
  /** Runs whose costs change. */
  changed_run_count: z.int(),
  /** US dollars now, and by the prices of now. */
  cost_before: z.string().nullable(),
  cost_after: z.string().nullable(),
}

export const RepricedModel = z.object({
  model: z.string(),
  provider: z.string().nullable(),
  ...costs,
  /** The price of a run that starts now; null when none fits, and then its runs stay as they are. */
  price: ModelPrice.nullable(),
})
export type RepricedModel = z.infer<typeof RepricedModel>

export const RepriceAnswer = z.object({
  /** Sums of all models with a price. */
  ...costs,
  /** Whether the costs and changes are estimated from a sample of the runs. */
  is_sampled: z.boolean(),
  /** The models with the most runs, at most 100. */
  models: z.array(RepricedModel),
  has_more: z.boolean(),
  as_of: z.string(),
  /** Null for a dry run. */
  job: BulkJob.nullable(),
})
export type RepriceAnswer = z.infer<typeof RepriceAnswer>

const id = z.object({ id: Uuid })
const tag = 'model prices'

export const modelPriceRoutes = describeRoutes(routes.modelPrices, tag, {
  list: { summary: 'All prices', answer: z.array(ModelPrice) },
  create: {
    summary: 'Add a price; runs recorded from now on use it, stored ones when they are priced again',
    body: ModelPriceWrite,
    answer: ModelPrice,
  },
  update: {
    summary: 'Replace a price; costs already recorded stay until they are priced again',
    params: id,
    body: ModelPriceUpdate,
    answer: ModelPrice,
  },
  delete: {
    summary: 'Delete a price',
    params: id,
  },
  test: {
    extension: true,
    summary: 'Which price a run of a model would get',
    body: ModelPriceTest,
    answer: ModelPriceTestAnswer,
  },
  unpriced: {
    extension: true,
    summary: `Models of recent runs that used tokens and have no known cost, most runs first; at most ${MAX_UNPRICED_MODELS}`,
    query: z.object({ days: clamped(1, 3650, UNPRICED_DAYS), session_id: Uuid.optional() }),
    answer: z.object({ since: z.string(), models: z.array(UnpricedModel), has_more: z.boolean() }),
  },
  reprice: {
    extension: true,
    summary: 'Price stored runs again by the prices of now, as a job; or only estimate it',
    body: RepriceStart,
    answer: RepriceAnswer,
  },
})
