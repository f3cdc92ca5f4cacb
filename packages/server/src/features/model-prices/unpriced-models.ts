import { MAX_UNPRICED_MODELS, timeOfEpochMs, type UnpricedModel } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { literal, printedTime, sql, time, uint, uuid } from '../../storage/analytics/sql.ts'
import { columns, count, each, text } from '../../storage/rows.ts'
import type { PriceBook } from './price-book.ts'

const DAY_MS = 86_400_000

/** Models of recent runs that used tokens and have no known cost, most runs first. @param projectId  only runs of this project */
export async function listUnpriced(
  { analytics, clock }: Pick<Deps, 'analytics' | 'clock'>,
  book: PriceBook,
  tenantId: string,
  { days, projectId }: { readonly days: number; readonly projectId?: string | undefined },
): Promise<{ since: string; models: UnpricedModel[]; has_more: boolean }> {
  const now = clock()
  const since = timeOfEpochMs(now - days * DAY_MS)
  const ofProject = projectId === undefined ? literal('') : sql` and session_id = ${uuid(projectId)}`
  const rows = await analytics.query(
    sql`
      select model, provider, count() as run_count, sum(ifNull(prompt_tokens, 0)) as prompt_tokens,
        sum(ifNull(completion_tokens, 0)) as completion_tokens, max(start_time) as last_seen
      from runs final
      where tenant_id = ${uuid(tenantId)}${ofProject} and start_time >= ${time(since)}
        and model != '' and total_cost is null and total_tokens > 0
      group by model, provider
      order by run_count desc, model, provider
      limit ${uint(MAX_UNPRICED_MODELS + 1)}`,
    columns({
      ...each(['model', 'provider', 'last_seen'], text),
      ...each(['run_count', 'prompt_tokens', 'completion_tokens'], count),
    }),
  )
  const startTime = timeOfEpochMs(now)
  const models = rows.slice(0, MAX_UNPRICED_MODELS).map(({ model, provider, last_seen, ...counts }) => ({
    model,
    provider: provider || null,
    ...counts,
    last_seen_at: printedTime(last_seen),
    price_now: book.find({ tenantId, model, provider: provider || undefined, startTime }) ?? null,
  }))
  return { since, models, has_more: rows.length > MAX_UNPRICED_MODELS }
}
