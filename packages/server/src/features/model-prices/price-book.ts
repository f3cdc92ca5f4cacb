import { ApiError, type ModelPrice } from '@touchstone/contract'
import { MAX_MODEL_LENGTH, readModelNames } from '@touchstone/formats/models'
import { RE2JS } from 're2js'
import type { Deps } from '../../deps.ts'
import { compileUserPattern } from '../../patterns.ts'
import { createSteadyClock } from '../../steady-clock.ts'
import { compareSpecificity, isOfHost, openBuiltInPrices } from './built-in-prices.ts'
import { isBuiltInId } from './listed-prices.ts'
import { presentPrice, selectAllPrices } from './store.ts'

/** Prices in memory; `find` is synchronous because it is called for every written run. */
export interface PriceBook {
  /**
   * The price of a model at a time: entries of the workspace before built-in ones, entries of the run's provider before
   * entries for any provider, then the newest that was valid when the run started.
   */
  find(run: PricedRun): ModelPrice | undefined
  /** All prices that match a model at any time, in the order in which `find` tries them. */
  fitting(run: Omit<PricedRun, 'startTime'>): readonly ModelPrice[]
  /** A price that came with Touchstone. */
  findBuiltIn(id: string): ModelPrice | undefined
  /** All prices of a workspace: its own, newest first, then the built-in ones that it did not replace or hide. */
  list(tenantId: string): ModelPrice[]
  /** Reads the stored entries again. */
  refresh(): Promise<void>
  /** Reads them again if another process may have changed them. */
  refreshIfShared(): Promise<void>
}

export interface PricedRun {
  /** Null finds built-in prices only. */
  readonly tenantId: string | null
  readonly model: string
  readonly provider: string | undefined
  readonly startTime: string
}

interface Entry {
  readonly price: ModelPrice
  readonly matches: Matches
  /** Whether it replaces a built-in price, which also fits what hosts make of the name. */
  readonly isReplacement: boolean
}

interface TenantPrices {
  readonly own: readonly Entry[]
  /** Ids of built-in prices that are replaced or hidden. */
  readonly covered: ReadonlySet<string>
}

/** Another process may change prices, so prices in memory are refreshed after this time. */
const REFRESH_AFTER_MS = 30_000
const MAX_REMEMBERED = 10_000
const NO_PRICES: TenantPrices = { own: [], covered: new Set() }

export async function openPriceBook(deps: Pick<Deps, 'relational' | 'clock' | 'log'>): Promise<PriceBook> {
  const builtIn = openBuiltInPrices()
  let shelves = new Map<string, TenantPrices>()
  let ranked = new Map<string, readonly ModelPrice[]>()
  const steady = createSteadyClock(deps.clock)
  let readAt = 0

  async function refresh(): Promise<void> {
    readAt = steady()
    shelves = await readTenantPrices(deps)
    ranked = new Map()
  }

  function refreshIfOld(): void {
    if (steady() - readAt < REFRESH_AFTER_MS) return
    refresh().catch((error) => deps.log.warn({ err: error }, 'model prices were not read again'))
  }

  function rank({ tenantId, model, provider }: Omit<PricedRun, 'startTime'>): readonly ModelPrice[] {
    const shelf = (tenantId === null ? undefined : shelves.get(tenantId)) ?? NO_PRICES
    const names = readModelNames(model, provider)
    const own = shelf.own.filter((entry) => matchesProvider(entry.price, provider) && entry.matches(model))
    const run = { host: names.host, provider }
    const replacements = shelf.own.filter(
      ({ price, isReplacement }) => isReplacement && isOfHost(price.provider, run) && names.host !== 'local',
    )
    const builtInLevels = builtIn.find(names, { provider, covered: shelf.covered })
    const byLevel = names.levels.flatMap((level, at) => [
      ...toRanked(replacements.filter(({ matches }) => level.some(matches))),
      ...(builtInLevels[at] ?? []),
    ])
    return [...new Set([...toRanked(own), ...byLevel])]
  }

  function rankOnce(run: Omit<PricedRun, 'startTime'>): readonly ModelPrice[] {
    const key = `${run.tenantId}\n${run.provider ?? ''}\n${run.model}`
    let prices = ranked.get(key)
    if (prices === undefined) {
      prices = rank(run)
      if (ranked.size >= MAX_REMEMBERED) ranked.clear()
      ranked.set(key, prices)
    }
    return prices
  }

  await refresh()
  return {
    refresh,
    refreshIfShared: async () => (deps.relational.engine === 'pglite' ? undefined : refresh()),
    find(run) {
      refreshIfOld()
      return rankOnce(run).find((price) => isValidAt(price, run.startTime))
    },
    fitting: rankOnce,
    findBuiltIn: (id) => builtIn.list().find((price) => price.id === id),
    list(tenantId) {
      const { own, covered } = shelves.get(tenantId) ?? NO_PRICES
      return [...own.map(({ price }) => price), ...builtIn.list().filter(({ id }) => !covered.has(id))]
    },
  }
}

async function readTenantPrices({
  relational,
  log,
}: Pick<Deps, 'relational' | 'log'>): Promise<Map<string, TenantPrices>> {
  const shelves = new Map<string, { own: Entry[]; covered: Set<string> }>()
  for (const row of await selectAllPrices(relational.db)) {
    const shelf = shelves.get(row.tenant_id) ?? { own: [], covered: new Set() }
    shelves.set(row.tenant_id, shelf)
    shelf.covered.add(row.id)
    if (row.is_deleted) continue
    try {
      shelf.own.push(toEntry(presentPrice(row)))
    } catch (error) {
      log.warn({ err: error, id: row.id }, 'a model price cannot be used') // written by a version with another engine
    }
  }
  return shelves
}

function toEntry(price: ModelPrice): Entry {
  return { price, matches: compilePattern(price.match_pattern), isReplacement: isBuiltInId(price.id) }
}

function toRanked(entries: readonly Entry[]): ModelPrice[] {
  return entries.map(({ price }) => price).sort(compareSpecificity)
}

export function isValidAt(price: ModelPrice, time: string): boolean {
  return price.start_time === null || price.start_time <= time
}

function matchesProvider(price: ModelPrice, provider: string | undefined): boolean {
  return price.provider === null || price.provider.toLowerCase() === provider?.toLowerCase()
}

type Matches = (model: string) => boolean

/**
 * Compiles a pattern of a user. The regular expression engine needs linear time for any pattern, so no pattern can hang
 * the server; look-around and back-references are not supported.
 *
 * @throws ApiError INVALID_REQUEST when the pattern is not a regular expression
 */
export function compilePattern(pattern: string): Matches {
  const compiled = compile(pattern)
  return (model) => model.length <= MAX_MODEL_LENGTH && compiled.matcher(model).find()
}

/** Instructions of one pattern; a name of a model is compared with all patterns of its workspace. */
const MAX_PROGRAM = 2_000

function compile(pattern: string): RE2JS {
  try {
    return compileUserPattern(pattern, RE2JS.CASE_INSENSITIVE, MAX_PROGRAM).compiled
  } catch (error) {
    throw new ApiError('INVALID_REQUEST', `match_pattern is not valid: ${(error as Error).message}`, { cause: error })
  }
}
