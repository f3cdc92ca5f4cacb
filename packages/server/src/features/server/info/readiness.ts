import { ApiError } from '@touchstone/contract'
import { sql as relationalSql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { sql } from '../../../storage/analytics/sql.ts'
import { ANY_ROW } from '../../../storage/rows.ts'

/** Time in which a store must answer. */
const ANSWER_MS = 5_000

/**
 * Returns a check that asks both stores.
 *
 * @returns throws ApiError UNAVAILABLE that names each store that fails or does not answer in time
 */
export function createReadinessCheck(
  { relational, analytics }: Pick<Deps, 'relational' | 'analytics'>,
  answerMs = ANSWER_MS,
): () => Promise<void> {
  const stores = {
    'relational store': shared(() => relational.db.execute(relationalSql`select 1`)),
    'analytics store': shared(() => analytics.query(sql`select 1`, ANY_ROW)),
  }
  return async () => {
    const problems = await Promise.all(
      Object.entries(stores).map(async ([name, ask]) => {
        const outcome = await within(answerMs, ask())
        return outcome === 'answered' ? [] : [`The ${name} ${outcome}.`]
      }),
    )
    const text = problems.flat().join(' ')
    if (text !== '') throw new ApiError('UNAVAILABLE', text)
  }
}

/** Asks once at a time: a store that does not answer is not asked again by each probe. */
function shared(ask: () => Promise<unknown>): () => Promise<unknown> {
  let asked: Promise<unknown> | undefined
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined
    })
    return asked
  }
}

async function within(ms: number, answer: Promise<unknown>): Promise<string> {
  let alarm: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    alarm = setTimeout(() => resolve(`did not answer within ${ms / 1000} s`), ms)
  })
  const outcome = answer.then(
    () => 'answered',
    () => 'failed',
  )
  try {
    return await Promise.race([outcome, late])
  } finally {
    clearTimeout(alarm)
  }
}
