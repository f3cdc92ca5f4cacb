import {
  type ModelPrice,
  type RepriceAnswer,
  type RepricedModel,
  type RepriceStart,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { addDecimals, type Fragment, printedTime, sql, texts, uint, uints } from '../../../storage/analytics/sql.ts'
import { columns, count, each, nullable, type RowOf, text } from '../../../storage/rows.ts'
import {
  type ComputeCosts,
  type CostPayloads,
  type ModelOfRuns,
  type PricedRun,
  type PricedSelection,
  readCostPayloads,
  readPricedRuns,
  toCursor,
  whereSelected,
} from './priced-runs.ts'
import { isSameCosts, type RunCosts, type SubmitCosts } from './run-costs.ts'

/** The prices of now, of a workspace; the price book has them. */
export interface Prices {
  find(run: PricedModel & { readonly startTime: string }): ModelPrice | undefined
  fitting(run: PricedModel): readonly ModelPrice[]
  refreshIfShared(): Promise<void>
}

interface PricedModel {
  readonly tenantId: string
  readonly model: string
  readonly provider: string | undefined
}

export type RepriceDeps = Pick<Deps, 'analytics' | 'clock'> & {
  readonly prices: Prices
  readonly ingest: { readonly computeCosts: ComputeCosts; readonly submitCosts: SubmitCosts }
}

/** What pricing stored runs again would change. */
export interface CostEstimate {
  readonly answer: Omit<RepriceAnswer, 'job'>
  /** The runs, as a job selects them: only models that have a price. */
  readonly selection: PricedSelection
}

const MODELS_SHOWN = 100
const PAGE = 5_000

interface EstimateSizes {
  /** More runs are estimated from about this many of them. @default 20,000 */
  readonly sampledRuns?: number
  /** Models that are read at once. @default 10,000 */
  readonly modelsOfPage?: number
}

/** Prices the selected runs, or a sample of them, and adds up what they cost now and what they would cost. */
export async function estimateCosts(
  deps: RepriceDeps,
  tenantId: string,
  start: RepriceStart,
  { sampledRuns = 20_000, modelsOfPage = 10_000 }: EstimateSizes = {},
): Promise<CostEstimate> {
  await deps.prices.refreshIfShared()
  const asOf = start.as_of ?? timeOfEpochMs(deps.clock())
  const all = toSelection(start, asOf)
  const rows = await readModels(deps, whereNamed(tenantId, all, start.models ?? undefined), modelsOfPage)
  const models = rows.map((row) => ({ row, price: findPrice(deps.prices, tenantId, row, asOf) }))
  const wanted = models.filter(({ row, price }) =>
    isWanted(deps.prices, tenantId, row, price, start.price_id ?? undefined),
  )
  const priced = wanted.filter(({ price }) => price !== null).map(({ row }) => row)
  const selection = { ...all, models: priced.map(({ model, provider }) => ({ model, provider })) }
  const every = chooseSteps(priced, sampledRuns)
  const changes = priced.length === 0 ? new Map() : await sampleChanges(deps, tenantId, selection, every)
  const presented = wanted.map(({ row, price }) => presentModel(row, price, changes.get(keyOf(row)) ?? NO_CHANGES))
  const sums = sumModels(presented.filter(({ price }) => price !== null))
  const shown = presented.slice(0, MODELS_SHOWN)
  const answer = {
    ...sums,
    is_sampled: every.size > 0,
    models: shown,
    has_more: presented.length > MODELS_SHOWN,
    as_of: asOf,
  }
  return { answer, selection }
}

function toSelection(start: RepriceStart, asOf: string): PricedSelection {
  return {
    session: start.session ?? undefined,
    startTime: start.start_time ?? undefined,
    endTime: start.end_time && start.end_time < asOf ? start.end_time : asOf,
    onlyUnpriced: start.only_unpriced ?? false,
  }
}

const MODEL = columns({
  ...each(['model', 'provider'], text),
  ...each(['runs', 'tokens', 'unpriced'], count),
  /** Decimal text. */
  cost: nullable(text),
})
type ModelRow = RowOf<typeof MODEL>

/** The runs of some models by their names alone, of every provider. */
function whereNamed(tenantId: string, selection: PricedSelection, names: readonly string[] | undefined): Fragment {
  const where = whereSelected(tenantId, selection)
  return names === undefined ? where : sql`${where} and model in ${texts(names)}`
}

/** All models, those with the most runs first. Few workspaces have more than one page of them. */
async function readModels({ analytics }: RepriceDeps, where: Fragment, limit: number): Promise<ModelRow[]> {
  const models: ModelRow[] = []
  for (;;) {
    const page = await readModelPage(analytics, where, limit, models.length)
    models.push(...page)
    if (page.length < limit) return models
  }
}

function readModelPage(
  analytics: RepriceDeps['analytics'],
  where: Fragment,
  limit: number,
  offset: number,
): Promise<ModelRow[]> {
  return analytics.query(
    sql`
      select model, provider, count() as runs, sum(ifNull(prompt_tokens, 0) + ifNull(completion_tokens, 0)) as tokens,
        countIf(total_cost is null) as unpriced, toString(sum(total_cost)) as cost
      from runs final
      where ${where}
      group by model, provider
      order by runs desc, model, provider
      limit ${uint(limit)} offset ${uint(offset)}`,
    MODEL,
  )
}

/** The price of a run that starts now; else one that held or will hold, by which other runs are priced. */
function findPrice(
  prices: Prices,
  tenantId: string,
  { model, provider }: ModelOfRuns,
  asOf: string,
): ModelPrice | null {
  const run = { tenantId, model, provider: provider || undefined }
  return prices.find({ ...run, startTime: asOf }) ?? prices.fitting(run)[0] ?? null
}

function isWanted(
  prices: Prices,
  tenantId: string,
  { model, provider }: ModelOfRuns,
  price: ModelPrice | null,
  priceId: string | undefined,
): boolean {
  if (priceId === undefined || price?.id === priceId) return true
  return prices.fitting({ tenantId, model, provider: provider || undefined }).some(({ id }) => id === priceId)
}

/** The new costs of a run; undefined while they stay as they are. */
export function priceAgain(
  { prices, ingest }: Pick<RepriceDeps, 'prices' | 'ingest'>,
  tenantId: string,
  run: PricedRun,
  payloads: CostPayloads | undefined,
): RunCosts | undefined {
  const { model, provider } = run
  const priced = { tenantId, model, provider: provider || undefined, startTime: printedTime(run.start_time) }
  const price = prices.find(priced)
  const costs = price && ingest.computeCosts(run, payloads, price)
  return costs === undefined || isSameCosts(run, costs) ? undefined : costs
}

/** Of some runs of a model. */
interface Changes {
  runs: number
  tokens: number
  changed: number
  before: string | null
  after: string | null
}
const NO_CHANGES: Readonly<Changes> = { runs: 0, tokens: 0, changed: 0, before: null, after: null }

const keyOf = ({ model, provider }: ModelOfRuns) => `${provider}\n${model}`

/** Fewer runs tell little about the others of their model. */
const LEAST_SAMPLED = 50

/**
 * Of which models a sample is read, and of how many of their runs one. The runs are shared out evenly, so that models with
 * few runs, which a sample of all runs would miss, are read completely.
 */
function chooseSteps(models: readonly ModelRow[], sampledRuns: number): ReadonlyMap<string, number> {
  let left = sampledRuns
  const steps = new Map<string, number>()
  for (const [at, row] of models.toSorted((one, other) => one.runs - other.runs).entries()) {
    const share = Math.max(LEAST_SAMPLED, Math.floor(left / (models.length - at)))
    if (row.runs > share) steps.set(keyOf(row), Math.ceil(row.runs / share))
    left -= Math.min(row.runs, share)
  }
  return steps
}

async function sampleChanges(
  deps: RepriceDeps,
  tenantId: string,
  selection: PricedSelection,
  every: ReadonlyMap<string, number>,
): Promise<Map<string, Changes>> {
  const where = whereSelected(tenantId, selection)
  const step = sql`transform(concat(provider, '\n', model), ${texts([...every.keys()])}, ${uints([...every.values()])}, toUInt64(1))`
  const sampled = every.size === 0 ? where : sql`${where} and cityHash64(id) % ${step} = 0`
  const changes = new Map<string, Changes>()
  for (let after = ''; ; ) {
    const runs = await readPricedRuns(deps, sampled, { after, limit: PAGE })
    const add = (run: PricedRun, payloads?: CostPayloads) =>
      addChange(changes, run, priceAgain(deps, tenantId, run, payloads))
    for (const run of runs.filter((one) => !isReported(one))) add(run)
    await readReported(deps, tenantId, runs.filter(isReported), add)
    const last = runs.at(-1)
    if (last === undefined || runs.length < PAGE) return changes
    after = toCursor(last)
  }
}

/** Only runs whose cost was not computed are read with their payloads: an estimate need not be exact for the rest. */
const isReported = ({ total_cost, price_model_id }: PricedRun) => total_cost !== null && price_model_id === null

/** Few runs at a time, because the payloads of a page of runs may need too much memory. */
async function readReported(
  deps: RepriceDeps,
  tenantId: string,
  runs: readonly PricedRun[],
  add: (run: PricedRun, payloads: CostPayloads | undefined) => void,
): Promise<void> {
  for (let at = 0; at < runs.length; ) {
    const page = await readCostPayloads(deps, tenantId, runs.slice(at, at + 500))
    for (const run of page.runs) add(run, page.payloads.get(run.id))
    at += page.runs.length
  }
}

function addChange(changes: Map<string, Changes>, run: PricedRun, costs: RunCosts | undefined): void {
  const key = keyOf(run)
  const sums = changes.get(key) ?? { ...NO_CHANGES }
  changes.set(key, sums)
  sums.runs += 1
  sums.tokens += (run.prompt_tokens ?? 0) + (run.completion_tokens ?? 0)
  sums.changed += costs === undefined ? 0 : 1
  sums.before = addDecimals([sums.before, run.total_cost])
  sums.after = addDecimals([sums.after, (costs ?? run).total_cost])
}

function presentModel(row: ModelRow, price: ModelPrice | null, changes: Readonly<Changes>): RepricedModel {
  const { runs, tokens } = changes
  const isWhole = runs === row.runs
  return {
    model: row.model,
    provider: row.provider || null,
    run_count: row.runs,
    unpriced_run_count: row.unpriced,
    changed_run_count: isWhole ? changes.changed : runs === 0 ? 0 : Math.round((changes.changed / runs) * row.runs),
    cost_before: row.cost,
    cost_after: isWhole
      ? changes.after
      : runs === 0
        ? row.cost
        : scaleCost(row, changes, row.tokens / Math.max(1, tokens)),
    price,
  }
}

/** The difference of a sample as that of all runs of the model, to a millionth of a dollar. */
function scaleCost({ cost }: ModelRow, { before, after }: Readonly<Changes>, times: number): string | null {
  if (cost === null && after === null) return null
  return Math.max(0, Number(cost ?? 0) + (Number(after ?? 0) - Number(before ?? 0)) * times).toFixed(6)
}

function sumModels(models: readonly RepricedModel[]) {
  const sum = (field: 'run_count' | 'unpriced_run_count' | 'changed_run_count') =>
    models.reduce((total, model) => total + model[field], 0)
  return {
    run_count: sum('run_count'),
    unpriced_run_count: sum('unpriced_run_count'),
    changed_run_count: sum('changed_run_count'),
    cost_before: addDecimals(models.map(({ cost_before }) => cost_before)),
    cost_after: addDecimals(models.map(({ cost_after }) => cost_after)),
  }
}
