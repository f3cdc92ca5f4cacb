import type { ModelPrice } from '@touchstone/contract'
import { findHost, type ModelNames } from '@touchstone/formats/models'
import { type GeneratedPrice, readGeneratedPrices } from './generated-prices.ts'
import { listedPrices } from './listed-prices.ts'

interface ListedPrice {
  readonly price: ModelPrice
  readonly pattern: () => RegExp
}

/** Prices that come with Touchstone. */
export interface BuiltInPrices {
  list(): readonly ModelPrice[]
  /**
   * The prices of a model at any time, a list for each level of its name, the one to use first: for the host of the run, then the
   * newest.
   *
   * @param covered  ids that the workspace replaced or hid
   */
  find(model: ModelNames, run: { provider: string | undefined; covered: ReadonlySet<string> }): ModelPrice[][]
}

export function openBuiltInPrices(
  generated: readonly GeneratedPrice[] = readGeneratedPrices(),
  listed: readonly ModelPrice[] = listedPrices,
): BuiltInPrices {
  const { exact, refined } = refineListed(listed, generated)
  const index = buildIndex(exact)
  const patterns = refined.map(toListedPrice)
  let list: readonly ModelPrice[] | undefined

  return {
    list() {
      list ??= [...refined, ...exact.map(({ price }) => price)]
      return list
    },
    find({ host, levels }, { provider, covered }) {
      if (host === 'local') return levels.map(() => [])
      const coveredStarts = new Set([...covered].map((id) => id.slice(0, 8)))
      const isHeld = ({ price, listed: of }: GeneratedPrice) => !covered.has(price.id) && !coveredStarts.has(of)
      return levels.map((names) => {
        const named = names.flatMap((name) => index.get(name) ?? [])
        const here = named.filter((one) => (one.host === undefined || one.host === host) && isHeld(one))
        const matching = patterns.filter(
          ({ price, pattern }) =>
            !covered.has(price.id) &&
            isOfHost(price.provider, { host, provider }) &&
            names.some((name) => pattern().test(name)),
        )
        return [...here, ...matching].map(({ price }) => price).sort(compareSpecificity)
      })
    },
  }
}

/**
 * The generated table has classes of tokens that the lists do not name. A listed price keeps its id, which workspaces override,
 * and takes the classes of the line that has its name and costs the same.
 */
function refineListed(listed: readonly ModelPrice[], generated: readonly GeneratedPrice[]) {
  const byName = new Map(generated.filter(({ host }) => host === undefined).map((one) => [one.key, one]))
  const taken = new Set<GeneratedPrice>()
  const refined = listed.map((price) => {
    const line = price.provider === null ? byName.get(price.name.toLowerCase()) : undefined
    if (line === undefined || line.listed !== price.id.slice(0, 8) || line.price.start_time !== price.start_time) {
      return price
    }
    if (line.price.prompt_cost !== price.prompt_cost || line.price.completion_cost !== price.completion_cost)
      return price
    taken.add(line)
    return {
      ...price,
      prompt_cost_details: mergeClasses(line.price.prompt_cost_details, price.prompt_cost_details),
      completion_cost_details: mergeClasses(line.price.completion_cost_details, price.completion_cost_details),
      source: line.price.source,
    }
  })
  return { refined, exact: generated.filter((one) => !taken.has(one)) }
}

function mergeClasses(...all: ModelPrice['prompt_cost_details'][]): ModelPrice['prompt_cost_details'] {
  const merged = Object.assign({}, ...all) as Record<string, string>
  return Object.keys(merged).length === 0 ? null : merged
}

/** By name, also with the dashes that some hosts write for dots. */
function buildIndex(generated: readonly GeneratedPrice[]): ReadonlyMap<string, readonly GeneratedPrice[]> {
  const index = new Map<string, GeneratedPrice[]>()
  const add = (name: string, one: GeneratedPrice) => {
    const known = index.get(name)
    if (known === undefined) index.set(name, [one])
    else known.push(one)
  }
  for (const one of generated) add(one.key, one)
  for (const one of generated) {
    const dashed = one.key.replaceAll(/(?<=\d)\.(?=\d)/g, '-')
    if (dashed !== one.key) add(dashed, one)
  }
  return index
}

/**
 * Our own patterns take linear time in any engine, and the one of the runtime compiles them when they are first used:
 * compiling all of them with the one for patterns of users took a tenth of each start.
 */
function toListedPrice(price: ModelPrice): ListedPrice {
  let compiled: RegExp | undefined
  return {
    price,
    pattern: () => {
      compiled ??= new RegExp(price.match_pattern, 'i')
      return compiled
    },
  }
}

/** Whether a price for a host holds for a run. */
export function isOfHost(
  wanted: string | null,
  run: { host: string | undefined; provider: string | undefined },
): boolean {
  if (wanted === null) return true
  return (
    wanted.toLowerCase() === run.provider?.toLowerCase() || (run.host !== undefined && findHost(wanted) === run.host)
  )
}

/** Prices with a provider first, then the later start; equal entries keep their order, newest first. */
export function compareSpecificity(one: ModelPrice, other: ModelPrice): number {
  const byProvider = Number(one.provider === null) - Number(other.provider === null)
  if (byProvider !== 0) return byProvider
  const [start, otherStart] = [one.start_time ?? '', other.start_time ?? '']
  return start === otherStart ? 0 : start < otherStart ? 1 : -1
}
