import { AlertLevel, type AlertPoint } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { columnTime, type Fragment, printedTime, sql, time, uint, uuid } from '../../storage/analytics/sql.ts'
import type { AlertRow } from '../../storage/relational/tables/alerts.ts'
import { columns, count, figure, nullable, oneOf, text } from '../../storage/rows.ts'
import type { Evaluated } from './evaluate.ts'
import { presentPoint } from './preview.ts'

/** Rows of the evaluations of an alert, one per group. */
export function toPointRows(
  { id, tenant_id, version }: Pick<AlertRow, 'id' | 'tenant_id' | 'version'>,
  evaluated: readonly Evaluated[],
): { readonly json: string }[] {
  return evaluated.flatMap((one) =>
    one.groups.map((group) => {
      const { warning, critical, usual, at } = presentPoint({ at: one.at, worst: group })
      return {
        json: JSON.stringify({
          tenant_id,
          alert_id: id,
          at: columnTime(at).slice(0, 19),
          group_key: group.group === null ? '' : `=${group.group}`,
          value: group.value,
          run_count: group.count,
          level: group.level,
          warning,
          critical,
          usual,
          alert_version: version,
          is_worst: group === one.worst ? 1 : 0,
        }),
      }
    }),
  )
}

const POINT = columns({
  at: text,
  group_key: text,
  value: nullable(figure),
  run_count: count,
  level: oneOf(...AlertLevel.options),
  warning: nullable(figure),
  critical: nullable(figure),
  usual: nullable(figure),
})

interface PointQuery {
  readonly from: string
  readonly to: string
  /** Of neighbors the one with the worst level stays, then the one furthest beyond it. */
  readonly maxPoints: number
  readonly isUpward: boolean
}

/** Evaluations of an alert, oldest first. */
export async function readPoints(
  { analytics }: Pick<Deps, 'analytics'>,
  { id, tenant_id }: Pick<AlertRow, 'id' | 'tenant_id'>,
  { from, to, maxPoints, isUpward }: PointQuery,
): Promise<AlertPoint[]> {
  const first = Math.max(0, Math.floor(Date.parse(from) / 1000))
  const cell = Math.max(1, Math.ceil((Date.parse(to) / 1000 - first) / maxPoints))
  const rank = sql`multiIf(level = 'critical', 3, level = 'no_data', 2, level = 'warning', 1, 0)`
  const beyond: Fragment = isUpward ? sql`ifNull(value, -inf)` : sql`-ifNull(value, inf)`
  const rows = await analytics.query(
    sql`
    select toString(at) as at, group_key, value, run_count, level, warning, critical, usual
    from (
      select *
      from alert_points final
      where tenant_id = ${uuid(tenant_id)} and alert_id = ${uuid(id)} and is_worst = 1
        and at >= toDateTime(${time(from)}) and at <= toDateTime(${time(to)})
      order by intDiv(toUnixTimestamp(at) - ${uint(first)}, ${uint(cell)}), ${rank} desc, ${beyond} desc
      limit 1 by intDiv(toUnixTimestamp(at) - ${uint(first)}, ${uint(cell)})
    )
    order by at`,
    POINT,
  )
  return rows.map(({ at, group_key, run_count, ...row }) => ({
    at: printedTime(`${at}.000000`),
    group: group_key === '' ? null : group_key.slice(1),
    count: run_count,
    ...row,
  }))
}

/** Deletes evaluations, for example of deleted alerts. */
export async function deletePointsOf(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  alertIds: readonly string[],
) {
  for (const id of alertIds) {
    await analytics.command(
      sql`delete from alert_points where tenant_id = ${uuid(tenantId)} and alert_id = ${uuid(id)}`,
    )
  }
}
