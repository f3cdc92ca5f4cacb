import { sql as pg } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { sql, text } from '../../../storage/analytics/sql.ts'
import { rowsOf } from '../../../storage/relational/migrate.ts'

/**
 * Keys from one to another, both included, that a run or a version of an example refers to. Of all workspaces: equal
 * bytes are stored once for all of them.
 */
export async function referencedBlobs(
  { analytics, relational }: Pick<Deps, 'analytics' | 'relational'>,
  first: string,
  last: string,
): Promise<Set<string>> {
  const [ofRuns, ofExamples] = await Promise.all([
    analytics.query<{ blob: string }>(sql`
      select distinct blob from run_attachments final where blob >= ${text(first)} and blob <= ${text(last)}`),
    // As text: a name may hold what jsonb cannot. A quotation mark inside of a name is escaped and does not match.
    relational.db.execute(pg`
      select distinct found.blob
      from example_states, lateral (
        select (regexp_matches(attachments, '"hash":"([0-9a-f]{64})"', 'g'))[1] as blob) as found
      where attachments <> '[]' and found.blob >= ${first} and found.blob <= ${last}`),
  ])
  return new Set([...ofRuns, ...rowsOf<{ blob: string }>(ofExamples)].map((row) => row.blob))
}
