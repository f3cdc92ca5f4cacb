import { type Money, toMoney } from './money.ts'

/**
 * What a class of tokens is, in four independent words; an empty one does not apply. `flex_cache_read_audio_over_200k` has all
 * of them.
 */
export interface TokenClass {
  /** The service tier of the request: `flex`, `priority`, `batch`. */
  readonly tier: string
  /** `cache_read`, `cache_creation`, `reasoning`, and the two lifetimes of a cache write. */
  readonly kind: string
  readonly modality: string
  /** Thousands of prompt tokens above which a request has other prices: `200`. */
  readonly over: string
}

export const BASE: TokenClass = { tier: '', kind: '', modality: '', over: '' }

const TIERS = ['flex', 'priority', 'batch', 'balanced', 'ultrafast']
const MODALITIES = ['audio', 'image', 'video']
const WRITTEN_5M = 'ephemeral_5m_input_tokens'
const WRITTEN_1H = 'ephemeral_1h_input_tokens'
/** Names of each kind; prices have the first one. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  cache_read: ['cache_read'],
  cache_creation: ['cache_creation', 'cache_write'],
  [WRITTEN_5M]: [WRITTEN_5M],
  [WRITTEN_1H]: [WRITTEN_1H, 'ephemeral_1hr_input_tokens'],
  reasoning: ['reasoning'],
}

/** Kind and modality by their common name, in either order: `cache_read_audio`, `audio_cache_read`. */
const NAMES: ReadonlyMap<string, Pick<TokenClass, 'kind' | 'modality'>> = new Map([
  ['', { kind: '', modality: '' }],
  ['text', { kind: '', modality: '' }],
  ...MODALITIES.map((modality) => [modality, { kind: '', modality }] as const),
  ...Object.entries(KINDS).flatMap(([kind, names]) =>
    names.flatMap((name) => [
      [name, { kind, modality: '' }] as const,
      ...MODALITIES.flatMap((modality) => [
        [`${name}_${modality}`, { kind, modality }] as const,
        [`${modality}_${name}`, { kind, modality }] as const,
      ]),
    ]),
  ),
])

const PARTS = new RegExp(`^(?:(${TIERS.join('|')})(?:_|$))?(.*?)(?:(?:_|^)over_(\\d+)k)?$`)

/** Reads the name of a class; undefined when it has other words. */
export function parseTokenClass(name: string): TokenClass | undefined {
  const [, tier = '', middle = '', over = ''] = PARTS.exec(name) ?? []
  const known = NAMES.get(middle)
  return known && { tier, over, ...known }
}

/** The name under which prices have a class. */
export function printTokenClass({ tier, kind, modality, over }: TokenClass): string {
  return [tier, kind, modality, over && `over_${over}k`].filter((word) => word !== '').join('_')
}

/** Whether the tokens of one class are also tokens of the other, wider one. */
export function isPartOf(one: TokenClass, wider: TokenClass): boolean {
  const isKind = wider.kind === one.kind || wider.kind === '' || (wider.kind === 'cache_creation' && isWrittenFor(one))
  const isModality = wider.modality === '' || wider.modality === one.modality
  const isSame = wider.kind === one.kind && wider.modality === one.modality
  return wider.tier === one.tier && wider.over === one.over && isKind && isModality && !isSame
}

/** Whether a cache was written for a named time. */
export const isWrittenFor = ({ kind }: TokenClass) => kind === WRITTEN_5M || kind === WRITTEN_1H

export type ClassPrices = Readonly<Record<string, string>> | null | undefined

/** Kinds whose price a kind takes when it has none, in order. */
const KINDS_INSTEAD: Readonly<Record<string, readonly string[]>> = {
  [WRITTEN_5M]: ['cache_creation'],
  [WRITTEN_1H]: ['cache_creation', WRITTEN_5M],
  cache_creation: [WRITTEN_5M],
}

/**
 * The price of a class of tokens. A class without a price of its own takes that of the nearest class that has one: what was
 * cached stays cached before it stays audio. A tier or a threshold that this class has no price for raises or lowers its
 * price as much as that of all tokens, as the price lists of the providers do.
 *
 * @returns undefined when only the base price is left
 */
export function findClassPrice(wanted: TokenClass, prices: ClassPrices, base: Money): Money | undefined {
  if (!prices) return undefined
  const read = (found: TokenClass) => readPrice(prices, printTokenClass(found))
  if (wanted.kind + wanted.modality + wanted.tier + wanted.over === '') return undefined
  for (const { kind, modality } of eachLessSpecific(wanted)) {
    for (const [tier, over] of eachCondition(wanted)) {
      const isBase = kind === '' && modality === '' && tier === '' && over === ''
      const price = isBase ? undefined : read({ kind, modality, tier, over })
      if (price !== undefined) return scale(price, { from: { tier, over }, to: wanted, read, base })
    }
  }
  return undefined
}

export function readPrice(prices: ClassPrices, name: string): Money | undefined {
  return prices && Object.hasOwn(prices, name) ? toMoney(prices[name]) : undefined
}

function* eachLessSpecific({ kind, modality }: TokenClass): Generator<Pick<TokenClass, 'kind' | 'modality'>> {
  const kinds = kind === '' ? [] : [kind, ...(KINDS_INSTEAD[kind] ?? [])]
  if (modality !== '') for (const one of kinds) yield { kind: one, modality }
  for (const one of kinds) yield { kind: one, modality: '' }
  if (modality !== '') yield { kind: '', modality }
  yield { kind: '', modality: '' }
}

function eachCondition({ tier, over }: TokenClass): (readonly [string, string])[] {
  const conditions = [[tier, over] as const, [tier, ''] as const, ['', over] as const, ['', ''] as const]
  return conditions.filter(([t, o], at) => conditions.findIndex(([ot, oo]) => t === ot && o === oo) === at)
}

interface Scaling {
  readonly from: Pick<TokenClass, 'tier' | 'over'>
  readonly to: TokenClass
  readonly read: (found: TokenClass) => Money | undefined
  readonly base: Money
}

/** Raises a price as the price of all tokens rises between the conditions. */
function scale(price: Money, { from, to, read, base }: Scaling): Money {
  const all = (tier: string, over: string) => (tier === '' && over === '' ? base : read({ ...BASE, tier, over }))
  const together = all(to.tier, to.over)
  if (together !== undefined) return raise(price, all(from.tier, from.over), together)
  const withTier = from.tier === to.tier ? price : raise(price, base, all(to.tier, ''))
  return from.over === to.over ? withTier : raise(withTier, base, all('', to.over))
}

function raise(price: Money, before: Money | undefined, after: Money | undefined): Money {
  if (before === undefined || after === undefined || before === 0n || before === after) return price
  return (price * after + before / 2n) / before
}

/** The highest threshold of a price that a request has passed; empty below all of them. */
export function findThreshold(promptTokens: number | undefined, prices: ClassPrices): string {
  if (!prices || promptTokens === undefined) return ''
  let highest = 0
  for (const name of Object.keys(prices)) {
    if (!name.includes('over_')) continue
    const thousands = Number(parseTokenClass(name)?.over ?? 0)
    if (promptTokens > thousands * 1000 && thousands > highest) highest = thousands
  }
  return highest === 0 ? '' : String(highest)
}
