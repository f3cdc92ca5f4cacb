import { z } from 'zod'
import { Uuid } from './ids.ts'
import { route } from './route.ts'
import { Time } from './time.ts'

/** US dollars per token, exact: a number or a decimal string in, a decimal string out. */
const Dollars = z
  .union([z.number(), z.string()])
  .transform((value, context) => {
    const text = typeof value === 'number' ? value.toFixed(18).replace(/\.?0+$/, '') : value.trim()
    if (/^\d{1,12}(\.\d{1,18})?$/.test(text)) return text
    context.addIssue({ code: 'custom', message: 'a price is dollars per token, at most 18 decimals' })
    return z.NEVER
  })
  .meta({ type: 'string' })

export const MATCH_PATH_DEFAULT = ['model', 'model_name', 'model_id', 'model_path', 'endpoint_name']

const priceFields = {
  name: z.string().min(1).max(300),
  /** Regular expression that the whole or part of a model name matches, without regard to case. */
  match_pattern: z.string().min(1).max(1000),
  match_path: z.array(z.string()).default(MATCH_PATH_DEFAULT),
  /** Equals the run's `ls_provider`; null fits every provider. */
  provider: z.string().nullish(),
  /** First moment at which this price holds; null means always. The newest one that fits a run's start is used. */
  start_time: Time.nullish(),
  prompt_cost: Dollars,
  completion_cost: Dollars,
  /** Prices of single token classes, e.g. `cache_read`; tokens of a class without a price take the base price. */
  prompt_cost_details: z.record(z.string(), Dollars).nullish(),
  completion_cost_details: z.record(z.string(), Dollars).nullish(),
}

export const ModelPriceWrite = z.object(priceFields)
export type ModelPriceWrite = z.output<typeof ModelPriceWrite>

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

const id = z.object({ id: Uuid })
const tag = 'model prices'

export const modelPriceRoutes = {
  list: route({ method: 'GET', path: '/model-price-map', tag, summary: 'All prices', answer: z.array(ModelPrice) }),
  create: route({
    method: 'POST',
    path: '/model-price-map',
    access: 'write',
    tag,
    summary: 'Add a price; runs recorded from now on use it',
    body: ModelPriceWrite,
    answer: ModelPrice,
  }),
  update: route({
    method: 'PUT',
    path: '/model-price-map/{id}',
    access: 'write',
    tag,
    summary: 'Replace a price; costs already recorded stay',
    params: id,
    body: ModelPriceWrite,
    answer: ModelPrice,
  }),
  delete: route({
    method: 'DELETE',
    path: '/model-price-map/{id}',
    access: 'write',
    tag,
    summary: 'Delete a price',
    params: id,
  }),
}
