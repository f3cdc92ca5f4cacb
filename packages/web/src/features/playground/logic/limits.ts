import type { PlaygroundLimits } from '@touchstone/contract'
import { formatCost } from '#lib/format.ts'

/** Limits of a run over a dataset as they are typed; empty for none. */
export interface LimitTexts {
  readonly usd: string
  readonly minutes: string
}

export interface ReadLimits {
  readonly limits: PlaygroundLimits
  /** Why a text is no limit, by field; empty when both are good. */
  readonly problems: Partial<Record<keyof LimitTexts, string>>
}

export const NO_LIMITS: LimitTexts = { usd: '', minutes: '' }

/** As the server takes them. */
const MAX_USD = 1_000_000
const MAX_MINUTES = 30 * 1440

/** @param spent  US dollars that the calls have cost already */
export function readLimits({ usd, minutes }: LimitTexts, spent = 0): ReadLimits {
  const cost = readAmount(usd, MAX_USD)
  const time = readAmount(minutes, MAX_MINUTES)
  const costProblem =
    cost === 'invalid'
      ? 'Type an amount above 0 and up to 1,000,000, such as 1.50.'
      : typeof cost === 'number' && cost <= spent
        ? `The calls have cost ${formatCost(String(spent))} already. Type more.`
        : undefined
  return {
    limits: {
      max_cost_usd: typeof cost === 'number' ? cost : null,
      max_seconds: typeof time === 'number' ? time * 60 : null,
    },
    problems: {
      ...(costProblem !== undefined && { usd: costProblem }),
      ...(time === 'invalid' && { minutes: 'Type minutes above 0, up to 43,200, which are 30 days.' }),
    },
  }
}

export function toLimitTexts({ max_cost_usd: usd, max_seconds: seconds }: PlaygroundLimits): LimitTexts {
  return {
    usd: usd == null ? '' : String(usd),
    minutes: seconds == null ? '' : String(Number((seconds / 60).toFixed(2))),
  }
}

/** Limits in words, such as “at most $2.00 and 30 min”; undefined without any. */
export function describeLimits({ max_cost_usd: usd, max_seconds: seconds }: PlaygroundLimits): string | undefined {
  const parts = [
    usd == null ? '' : formatCost(String(usd)),
    seconds == null ? '' : `${Number((seconds / 60).toFixed(1))} min`,
  ].filter((part) => part !== '')
  return parts.length === 0 ? undefined : `at most ${parts.join(' and ')}`
}

function readAmount(text: string, most: number): number | 'invalid' | undefined {
  if (text.trim() === '') return undefined
  const amount = Number(text)
  return amount > 0 && amount <= most ? amount : 'invalid'
}
