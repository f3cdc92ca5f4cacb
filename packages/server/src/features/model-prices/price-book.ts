import type { ModelPrice } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { builtInPrices } from './built-in/index.ts'
import { compilePattern, type Matches } from './pattern.ts'
import { presentPrice } from './present.ts'
import { selectAllPrices } from './store.ts'

/** Prices in memory; `find` is synchronous because it is asked for every run that is written. */
export interface PriceBook {
  /**
   * The price of a model at a time: the workspace's own entries before built-in ones, those of the run's provider
   * before those of any, then the newest that held when the run started.
   */
  find(run: PricedRun): ModelPrice | undefined
  /** Every price that fits a model whatever its time, in the order in which `find` tries them. */
  fitting(run: Omit<PricedRun, 'startTime'>): readonly ModelPrice[]
  /** All prices of a workspace: its own, newest first, then the built-in ones that it did not replace or hide. */
  list(tenantId: string): ModelPrice[]
  /** Reads the stored entries again. */
  refresh(): Promise<void>
}

export interface PricedRun {
  readonly tenantId: string
  readonly model: string
  readonly provider: string | undefined
  readonly startTime: string
}

interface Entry {
  readonly price: ModelPrice
  readonly matches: Matches
}

interface Shelf {
  readonly own: readonly Entry[]
  /** Ids of built-in prices that are replaced or hidden. */
  readonly covered: ReadonlySet<string>
}

/** Another process may change prices: what is in memory is that old at most. */
const REFRESH_AFTER_MS = 30_000
const MAX_REMEMBERED = 10_000
const EMPTY: Shelf = { own: [], covered: new Set() }

export async function openPriceBook(deps: Pick<Deps, 'relational' | 'clock' | 'log'>): Promise<PriceBook> {
  const builtIn = builtInPrices.map(entryOf)
  let shelves = new Map<string, Shelf>()
  let ranked = new Map<string, readonly ModelPrice[]>()
  let readAt = 0

  async function refresh(): Promise<void> {
    readAt = deps.clock()
    shelves = await readShelves(deps)
    ranked = new Map()
  }

  function refreshIfOld(): void {
    if (deps.clock() - readAt < REFRESH_AFTER_MS) return
    refresh().catch((error) => deps.log.warn({ err: error }, 'model prices were not read again'))
  }

  function rank({ tenantId, model, provider }: Omit<PricedRun, 'startTime'>): readonly ModelPrice[] {
    const shelf = shelves.get(tenantId) ?? EMPTY
    const fitting = (entries: readonly Entry[]) =>
      entries.filter(({ price, matches }) => isOfProvider(price, provider) && matches(model)).map(({ price }) => price)
    const standard = fitting(builtIn.filter(({ price }) => !shelf.covered.has(price.id)))
    return [...fitting(shelf.own).sort(moreSpecificFirst), ...standard.sort(moreSpecificFirst)]
  }

  await refresh()
  return {
    refresh,
    find(run) {
      refreshIfOld()
      const key = `${run.tenantId}\n${run.provider ?? ''}\n${run.model}`
      let prices = ranked.get(key)
      if (prices === undefined) {
        prices = rank(run)
        if (ranked.size >= MAX_REMEMBERED) ranked.clear()
        ranked.set(key, prices)
      }
      return prices.find((price) => holdsAt(price, run.startTime))
    },
    fitting: rank,
    list(tenantId) {
      const { own, covered } = shelves.get(tenantId) ?? EMPTY
      return [...own.map(({ price }) => price), ...builtInPrices.filter(({ id }) => !covered.has(id))]
    },
  }
}

async function readShelves({ relational, log }: Pick<Deps, 'relational' | 'log'>): Promise<Map<string, Shelf>> {
  const shelves = new Map<string, { own: Entry[]; covered: Set<string> }>()
  for (const row of await selectAllPrices(relational.db)) {
    const shelf = shelves.get(row.tenant_id) ?? { own: [], covered: new Set() }
    shelves.set(row.tenant_id, shelf)
    shelf.covered.add(row.id)
    if (row.is_deleted) continue
    try {
      shelf.own.push(entryOf(presentPrice(row)))
    } catch (error) {
      log.warn({ err: error, id: row.id }, 'a model price cannot be used') // written by a version with another engine
    }
  }
  return shelves
}

function entryOf(price: ModelPrice): Entry {
  return { price, matches: compilePattern(price.match_pattern) }
}

export function holdsAt(price: ModelPrice, time: string): boolean {
  return price.start_time === null || price.start_time <= time
}

function isOfProvider(price: ModelPrice, provider: string | undefined): boolean {
  return price.provider === null || price.provider.toLowerCase() === provider?.toLowerCase()
}

/** With a provider first, then the later start; entries that tie keep their order, newest first. */
function moreSpecificFirst(one: ModelPrice, other: ModelPrice): number {
  const byProvider = Number(one.provider === null) - Number(other.provider === null)
  if (byProvider !== 0) return byProvider
  const [start, otherStart] = [one.start_time ?? '', other.start_time ?? '']
  return start === otherStart ? 0 : start < otherStart ? 1 : -1
}
