import type { Spending, SpendingLimits } from '@touchstone/sdk'

/** The amounts of the form as they are typed, by provider id or one of the names below; '' for no limit. */
export type LimitTexts = Readonly<Record<string, string>>

export const WORKSPACE = 'workspace'
export const UNPRICED_CALL = 'unpriced call'

const toText = (usd: number | null) => (usd === null ? '' : String(usd))
const toUsd = (text: string) => (text.trim() === '' ? null : Number(text))

export function toTexts({ workspace, providers, unpriced_call_usd }: Spending): LimitTexts {
  return {
    [WORKSPACE]: toText(workspace.limit_usd),
    ...Object.fromEntries(listLimited(providers).map((one) => [one.provider_id, toText(one.limit_usd)])),
    [UNPRICED_CALL]: String(unpriced_call_usd),
  }
}

/** Providers that can have a limit: those that were not deleted. */
export const listLimited = (providers: Spending['providers']) => providers.filter(({ name }) => name !== null)

/** What each amount is called. */
export function toLabels({ providers }: Spending): LimitTexts {
  return {
    [WORKSPACE]: 'Workspace',
    ...Object.fromEntries(listLimited(providers).map(({ provider_id: id, name }) => [id, name ?? id])),
    [UNPRICED_CALL]: 'Call without a price',
  }
}

/** Why a typed amount cannot be saved; undefined when it can. */
export function findAmountProblem(text: string, max: number, isRequired = false): string | undefined {
  if (text.trim() === '') return isRequired ? 'Enter an amount.' : undefined
  const usd = Number(text)
  return usd >= 0 && usd <= max ? undefined : `Enter an amount from 0 to ${max.toLocaleString('en-US')}.`
}

export const MAX_LIMIT = 1_000_000_000
export const MAX_UNPRICED = 1_000

/** The fields whose amount differs, however it is typed. */
export function listChanged(saved: LimitTexts, texts: LimitTexts): string[] {
  return Object.keys(texts).filter((field) => toUsd(texts[field] ?? '') !== toUsd(saved[field] ?? ''))
}

/**
 * The request that changes some amounts.
 *
 * @param base  the amounts on which the change is based
 */
export function toChange(base: LimitTexts, texts: LimitTexts): SpendingLimits {
  const fields = listChanged(base, texts)
  return { ...toLimits(texts, fields), expected: toLimits(base, fields) }
}

function toLimits(texts: LimitTexts, fields: readonly string[]): SpendingLimits {
  const amounts = fields.map((field) => [field, toUsd(texts[field] ?? '')] as const)
  const of = (name: string) => amounts.find(([field]) => field === name)
  const providers = amounts.filter(([field]) => field !== WORKSPACE && field !== UNPRICED_CALL)
  const [workspace, unpriced] = [of(WORKSPACE), of(UNPRICED_CALL)]
  return {
    ...(workspace && { workspace_usd: workspace[1] }),
    ...(providers.length > 0 && { providers_usd: Object.fromEntries(providers) }),
    ...(unpriced && { unpriced_call_usd: unpriced[1] ?? 0 }),
  }
}
