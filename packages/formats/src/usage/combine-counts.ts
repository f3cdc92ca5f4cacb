import { type TokenDetails, type TokenUsage, toCount, withoutZeros } from './token-usage.ts'

/**
 * What a reported number counts. `cached_audio` and `cached_image` are parts of `cache_read`, the two lifetimes parts of
 * `cache_creation`; `tool_input` is what the results of built-in tools added to the prompt.
 */
export type Count =
  | 'input'
  | 'output'
  | 'total'
  | 'tool_input'
  | 'cache_read'
  | 'cached_audio'
  | 'cached_image'
  | 'cache_creation'
  | 'ephemeral_5m_input_tokens'
  | 'ephemeral_1h_input_tokens'
  | 'input_audio'
  | 'input_image'
  | 'input_text'
  | 'input_video'
  | 'reasoning'
  | 'output_audio'
  | 'output_image'
  | 'output_text'

export type Counts = { readonly [Name in Count]?: number | undefined }

/** Which numbers stand beside others instead of being a part of them, by their names and their emitter. */
export interface Inclusion {
  /** Tokens of a cache are not in the input. */
  readonly isCacheBeside: boolean
  /** It is certain, whatever the total is: some emitters leave the cache out of it too. */
  readonly isCacheCertain?: boolean
  /** Reasoning is not in the output. */
  readonly isReasoningBeside: boolean
}

/**
 * Adds up reported numbers, so that the input includes its cache and the output its reasoning, whatever the reporter
 * includes. A part that is larger than what would have to contain it stands beside it. Otherwise a total that is the sum of
 * the parts decides, and where it fits both ways or neither, the names do.
 *
 * @returns undefined when there is no number of tokens
 */
export function combineCounts(counts: Counts, named: Inclusion): TokenUsage | undefined {
  const { input, output, total } = counts
  if (input === undefined && output === undefined && total === undefined) return undefined
  const written = sumOf(counts.ephemeral_5m_input_tokens, counts.ephemeral_1h_input_tokens)
  const creation = Math.max(counts.cache_creation ?? 0, written)
  const cached = sumOf(counts.cache_read, creation)
  const found = findInclusion({ ...counts, cached }, named)
  const wholeInput = input === undefined ? undefined : sumOf(input, counts.tool_input, found.isCacheBeside ? cached : 0)
  const wholeOutput = output === undefined ? undefined : sumOf(output, found.isReasoningBeside ? counts.reasoning : 0)
  return {
    input: wholeInput,
    output: wholeOutput,
    total: chooseTotal(wholeInput, wholeOutput, found.isCacheBeside ? undefined : total),
    inputDetails: toInputDetails(counts, creation - written),
    outputDetails: withoutZeros({
      reasoning: counts.reasoning,
      audio: counts.output_audio,
      image: counts.output_image,
      text: counts.output_text,
    }),
  }
}

function findInclusion(counts: Counts & { readonly cached: number }, named: Inclusion) {
  const { input = 0, output = 0, total, cached, reasoning = 0, tool_input = 0 } = counts
  if (cached === 0 && reasoning === 0) return NO_PARTS
  const caches = choices(named.isCacheBeside, cached, input, named.isCacheCertain)
  const reasonings = choices(named.isReasoningBeside, reasoning, output)
  const all = caches.flatMap((isCacheBeside) =>
    reasonings.map((isReasoningBeside) => ({ isCacheBeside, isReasoningBeside })),
  )
  const isProven = ({ isCacheBeside, isReasoningBeside }: (typeof all)[number]) =>
    total === input + tool_input + output + (isCacheBeside ? cached : 0) + (isReasoningBeside ? reasoning : 0)
  return all.find(isProven) ?? { isCacheBeside: caches[0] ?? false, isReasoningBeside: reasonings[0] ?? false }
}

/** Most calls have neither a cache nor reasoning. */
const NO_PARTS = { isCacheBeside: false, isReasoningBeside: false }

/** Whether a part can stand beside its whole, the likely way first. */
function choices(isBeside: boolean, part: number, whole: number, isCertain = false): readonly boolean[] {
  if (part === 0) return [false]
  if (part > whole) return [true]
  return isCertain ? [isBeside] : [isBeside, !isBeside]
}

/** A total that is less than its parts is wrong; one that is more has what no part names. */
function chooseTotal(input: number | undefined, output: number | undefined, reported: number | undefined) {
  if (input === undefined && output === undefined) return reported
  return Math.max(sumOf(input, output), reported ?? 0)
}

/** The classes of the input, each token in one of them: what was read from a cache as audio has a price of its own. */
function toInputDetails(counts: Counts, createdOtherwise: number): TokenDetails {
  const { cached_audio = 0, cached_image = 0 } = counts
  const less = (whole: number | undefined, part: number) =>
    whole === undefined ? undefined : Math.max(whole - part, 0)
  return withoutZeros({
    cache_read: less(counts.cache_read, cached_audio + cached_image),
    cache_creation: createdOtherwise,
    ephemeral_5m_input_tokens: counts.ephemeral_5m_input_tokens,
    ephemeral_1h_input_tokens: counts.ephemeral_1h_input_tokens,
    audio: less(counts.input_audio, cached_audio),
    audio_cache_read: cached_audio,
    image: less(counts.input_image, cached_image),
    image_cache_read: cached_image,
    text: counts.input_text,
    video: counts.input_video,
  })
}

const sumOf = (...numbers: (number | undefined)[]) => numbers.reduce<number>((sum, one) => sum + (one ?? 0), 0)

/** The first number of each count, by a table of names, the best name of a count first. */
export class CountFinder {
  readonly #places: ReadonlyMap<string, { readonly count: Count; readonly rank: number }>
  /** All names of the table. */
  readonly names: readonly string[]

  constructor(table: { readonly [Name in Count]?: readonly string[] }) {
    this.#places = new Map(
      Object.entries(table).flatMap(([count, names]) =>
        names.map((name, rank) => [name, { count: count as Count, rank }] as const),
      ),
    )
    this.names = [...this.#places.keys()]
  }

  /** Looks names up instead of searching for each: an object has a few of the many. */
  find(entries: Iterable<readonly [name: string, value: unknown]>): FoundCounts {
    const counts: { [Name in Count]?: number } = {}
    const names: { [Name in Count]?: string } = {}
    const ranks: { [Name in Count]?: number } = {}
    for (const [name, value] of entries) {
      const place = this.#places.get(name)
      if (place === undefined || place.rank > (ranks[place.count] ?? Number.POSITIVE_INFINITY)) continue
      const number = toCount(value)
      if (number === undefined) continue
      counts[place.count] = number
      names[place.count] = name
      ranks[place.count] = place.rank
    }
    return { counts, names }
  }
}

export interface FoundCounts {
  readonly counts: Counts
  /** The name by which each was found. */
  readonly names: { readonly [Name in Count]?: string }
}
