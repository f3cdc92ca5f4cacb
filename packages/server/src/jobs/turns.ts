import { sql } from 'drizzle-orm'
import { toRows } from '../storage/relational/migrate.ts'
import type { Relational } from '../storage/relational/port.ts'

/** How the owners of jobs of one kind share its places, in all processes. */
export interface Turns {
  /** Puts the jobs first whose turn it is: of owners with the fewest jobs at work, then of those that waited longest. */
  arrange(): Promise<void>
  /**
   * Whether a job must give its place to a waiting one of an owner that has fewer at work. After a minute an owner with the
   * same number counts too.
   */
  isOfAnother(data: object, workedMs: number): Promise<boolean>
}

const TURN_MS = 60_000

interface Kind {
  readonly name: string
  /** Member of the data. */
  readonly owner: string
  readonly atOnce: number
}

export function openTurns({ db }: Relational, { name, owner, atOnce }: Kind): Turns {
  const isWaiting = sql`name = ${name} and state < 'active' and start_after <= now()`
  const active = sql`
    active as (
      select data ->> ${owner} as owner, count(*) filter (where state = 'active') as jobs, max(started_on) as last_began
      from pgboss.job
      where name = ${name} and started_on is not null
      group by 1)`
  return {
    async arrange() {
      // The queue fetches by priority. Jobs beyond the next ones keep 0, so that few rows change.
      await db.execute(sql`
        with ${active},
        waiting as (
          select id, data ->> ${owner} as owner, created_on, priority,
            row_number() over (partition by data ->> ${owner} order by created_on, id) as nth
          from pgboss.job
          where ${isWaiting}),
        ordered as (
          select id, priority,
            row_number() over (
              order by nth + coalesce(jobs, 0), last_began nulls first, created_on, id) as place
          from waiting left join active using (owner))
        update pgboss.job
        set priority = greatest(0, ${atOnce}::int + 1 - ordered.place)
        from ordered
        where job.name = ${name} and job.id = ordered.id
          and ordered.priority <> greatest(0, ${atOnce}::int + 1 - ordered.place)`)
    },
    async isOfAnother(data, workedMs) {
      const mine = String((data as Readonly<Record<string, unknown>>)[owner])
      const more = workedMs < TURN_MS ? 2 : 1
      const statement = sql`
        with ${active}
        select 1
        from pgboss.job left join active on active.owner = data ->> ${owner}
        where ${isWaiting} and data ->> ${owner} <> ${mine}
          and coalesce(active.jobs, 0) + ${more}::int <= (select jobs from active where owner = ${mine})
        limit 1`
      return toRows(await db.execute(statement), (row) => row).length > 0
    },
  }
}
