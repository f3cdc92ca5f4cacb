import { timeOfEpochMs } from '@touchstone/contract'
import { and, eq, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { textColumn } from '../../../storage/relational/columns.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type AlertRow, alertEpisodes, alerts } from '../../../storage/relational/tables/alerts.ts'

/** How long a process evaluates an alert alone. */
const LEASE_MS = 60_000

/** An alert that is due, with whether a user acknowledged its episode. */
export interface DueAlert {
  readonly row: AlertRow
  readonly isAcknowledged: boolean
}

/** Takes alerts that are due and that no other process evaluates, the longest overdue first. */
export async function takeDue(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  holder: string,
  limit: number,
): Promise<DueAlert[]> {
  const now = timeOfEpochMs(clock())
  const { db } = relational
  const [any] = await db
    .select({ id: alerts.id })
    .from(alerts)
    .where(and(eq(alerts.is_enabled, true), sql`${alerts.due_at} <= ${now}::timestamptz`))
    .limit(1)
  if (any === undefined) return []
  const due = sql`
    select id from alerts
    where is_enabled and due_at <= ${now}::timestamptz
      and (evaluator is null or evaluator = ${holder}::uuid or evaluator_until < ${now}::timestamptz)
    order by due_at
    limit ${limit}
    for update skip locked`
  const rows = await relational.transaction((tx) =>
    tx
      .update(alerts)
      .set({ evaluator: holder, evaluator_until: timeOfEpochMs(clock() + LEASE_MS) })
      .where(sql`id in (${due})`)
      .returning(),
  )
  const open = rows.filter(({ episode }) => episode !== null)
  const acknowledged = open.length === 0 ? new Set<string>() : await selectAcknowledged(db, open)
  return rows.map((row) => ({ row, isAcknowledged: acknowledged.has(row.id) }))
}

async function selectAcknowledged(db: Database, open: readonly AlertRow[]): Promise<ReadonlySet<string>> {
  const found = await db
    .select({ id: alertEpisodes.alert_id })
    .from(alertEpisodes)
    .innerJoin(alerts, and(eq(alerts.id, alertEpisodes.alert_id), eq(alerts.episode, alertEpisodes.number)))
    .where(
      and(
        sql`${alerts.id} = any(${textColumn(open.map(({ id }) => id))}::uuid[])`,
        sql`${alertEpisodes.acknowledged_at} is not null`,
      ),
    )
  return new Set(found.map(({ id }) => id))
}

/** What is stored of an evaluation. */
export type Settled = Pick<
  AlertRow,
  | 'id'
  | 'version'
  | 'state'
  | 'state_since'
  | 'progress'
  | 'broken_reason'
  | 'notice'
  | 'episode'
  | 'last_point'
  | 'evaluated_to'
  | 'evaluated_at'
  | 'due_at'
> & {
  /** Where the evaluation began: it counts once. */
  readonly evaluatedFrom: number
}

/**
 * Stores evaluations and gives the alerts back, unless an alert was changed or taken meanwhile.
 *
 * @returns the ids of those that were stored
 */
export async function settle(db: Database, holder: string, settled: readonly Settled[]): Promise<ReadonlySet<string>> {
  if (settled.length === 0) return new Set()
  const column = (value: (one: Settled) => string | number | null) =>
    textColumn(
      settled.map((one) => {
        const given = value(one)
        // Reasons may repeat texts of filters; the separators of columns are no part of them.
        return given === null ? null : String(given).replaceAll('\u001e', ' ').replaceAll('\u001f', ' ')
      }),
    )
  const result = await db
    .update(alerts)
    .set({
      state: sql`given.state`,
      state_since: sql`given.state_since::timestamptz`,
      progress: sql`given.progress`,
      broken_reason: sql`given.broken_reason`,
      notice: sql`given.notice`,
      episode: sql`given.episode::int`,
      last_point: sql`given.last_point`,
      evaluated_to: sql`given.evaluated_to::bigint`,
      evaluated_at: sql`given.evaluated_at::timestamptz`,
      due_at: sql`given.due_at::timestamptz`,
      evaluator: null,
      evaluator_until: null,
    })
    .from(sql`unnest(
      ${column(({ id }) => id)}, ${column(({ version }) => version)}, ${column((one) => one.evaluatedFrom)},
      ${column(({ state }) => state)}, ${column((one) => one.state_since)}, ${column(({ progress }) => progress)},
      ${column((one) => one.broken_reason)}, ${column(({ notice }) => notice)}, ${column(({ episode }) => episode)},
      ${column((one) => one.last_point)}, ${column((one) => one.evaluated_to)}, ${column((one) => one.evaluated_at)},
      ${column((one) => one.due_at)}
    ) as given (alert_id, alert_version, evaluated_from, state, state_since, progress, broken_reason, notice, episode,
      last_point, evaluated_to, evaluated_at, due_at)`)
    .where(
      and(
        sql`${alerts.id} = given.alert_id::uuid`,
        sql`${alerts.version} = given.alert_version::int`,
        sql`${alerts.evaluated_to} = given.evaluated_from::bigint`,
        eq(alerts.is_enabled, true),
        eq(alerts.evaluator, holder),
      ),
    )
    .returning({ id: alerts.id })
  return new Set(result.map(({ id }) => id))
}
