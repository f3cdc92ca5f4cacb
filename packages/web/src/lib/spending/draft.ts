import type { Spending, SpendingLimits } from '@touchstone/sdk'

/** The fields of the form as they are typed; '' for no limit. */
export interface SpendingDraft {
  readonly workspace: string
  /** By provider id. */
  readonly providers: Readonly<Record<string, string>>
  readonly unpricedCall: string
}

const toText = (usd: number | null) => (usd === null ? '' : String(usd))

export function toDraft({ workspace, providers, unpriced_call_usd }: Spending): SpendingDraft {
  return {
    workspace: toText(workspace.limit_usd),
    providers: Object.fromEntries(listLimited(providers).map((one) => [one.provider_id, toText(one.limit_usd)])),
    unpricedCall: String(unpriced_call_usd),
  }
}

/** Providers that can have a limit: those that were not deleted. */
export const listLimited = (providers: Spending['providers']) => providers.filter(({ name }) => name !== null)

/** Why a typed amount cannot be saved; undefined when it can. */
export function findAmountProblem(text: string, max: number, isRequired = false): string | undefined {
  if (text.trim() === '') return isRequired ? 'Enter an amount.' : undefined
  const usd = Number(text)
  return usd >= 0 && usd <= max ? undefined : `Enter an amount from 0 to ${max.toLocaleString('en-US')}.`
}

export const MAX_LIMIT = 1_000_000_000
export const MAX_UNPRICED = 1_000

/** The limits that differ from the stored ones; undefined when none does. */
export function toChange(spending: Spending, draft: SpendingDraft): SpendingLimits | undefined {
  const before = toDraft(spending)
  const toUsd = (text: string) => (text.trim() === '' ? null : Number(text))
  const providers = Object.entries(draft.providers).filter(
    ([id, text]) => toUsd(text) !== toUsd(before.providers[id] ?? ''),
  )
  const change: SpendingLimits = {
    ...(toUsd(draft.workspace) !== toUsd(before.workspace) && { workspace_usd: toUsd(draft.workspace) }),
    ...(providers.length > 0 && {
      providers_usd: Object.fromEntries(providers.map(([id, text]) => [id, toUsd(text)])),
    }),
    ...(toUsd(draft.unpricedCall) !== toUsd(before.unpricedCall) && { unpriced_call_usd: Number(draft.unpricedCall) }),
  }
  return Object.keys(change).length === 0 ? undefined : change
}
