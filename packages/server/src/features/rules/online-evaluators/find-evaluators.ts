import { type EvaluatorListQuery, toStorable } from '@touchstone/contract'
import { type SQL, sql } from 'drizzle-orm'
import { toJsonb } from '../../../storage/relational/filter.ts'
import { containsPattern } from '../../../storage/relational/like.ts'
import { toRows } from '../../../storage/relational/migrate.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { COUNT_ROW, ID_ROW } from '../../../storage/rows.ts'

export interface EvaluatorFilter extends Pick<EvaluatorListQuery, 'type' | 'name_contains' | 'feedback_key'> {
  /** JSON that the metadata must contain. */
  readonly metadata?: unknown
  /** Only some of these. @default all */
  readonly ids?: readonly string[] | undefined
}

/** Saved evaluators and records of a workspace, each once: what both have is that of the saved evaluator. */
const listAll = (tenantId: string): SQL => sql`
  select coalesce(s.id, e.id) as id, coalesce(s.name, e.name) as name,
    coalesce(e.type, case s.kind when 'javascript' then 'code' else 'llm' end) as type,
    coalesce(s.created_by, e.created_by) as created_by, coalesce(s.created_at, e.created_at) as created_at,
    coalesce(s.modified_at, e.updated_at) as updated_at, coalesce(e.metadata_index, '{}'::jsonb) as metadata_index,
    case when s.id is null then '{}' when cardinality(s.keys) = 0 then array[s.name] else s.keys end as keys
  from (select * from evaluators where tenant_id = ${tenantId}) e
  full join (select * from saved_evaluators where tenant_id = ${tenantId}) s on s.id = e.id`

/** A page of ids, and the number of all. */
export async function findEvaluatorIds(
  db: Database,
  tenantId: string,
  filter: EvaluatorFilter,
  { sort_by, sort_by_desc, offset, limit }: Pick<EvaluatorListQuery, 'sort_by' | 'sort_by_desc' | 'offset' | 'limit'>,
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  const found = sql`from (${listAll(tenantId)}) a where ${whereFilter(filter)}`
  const order = sql.raw(`${sort_by} ${sort_by_desc ? 'desc' : 'asc'}, id ${sort_by_desc ? 'desc' : 'asc'}`)
  const page = await db.execute(sql`select id::text as id ${found} order by ${order} offset ${offset} limit ${limit}`)
  const [counted] = toRows(await db.execute(sql`select count(*)::int as n ${found}`), COUNT_ROW)
  return { ids: toRows(page, ID_ROW).map(({ id }) => id), total: counted?.n ?? 0 }
}

function whereFilter({ type, name_contains: text, feedback_key, metadata, ids }: EvaluatorFilter): SQL {
  const conditions = [sql`true`]
  if (type !== undefined) conditions.push(sql`type = ${type}`)
  if (text) {
    const pattern = containsPattern(toStorable(text))
    conditions.push(sql`(name ilike ${pattern} or created_by ilike ${pattern})`)
  }
  if (feedback_key) conditions.push(sql`${toStorable(feedback_key)} = any(keys)`)
  if (metadata !== undefined) conditions.push(sql`metadata_index @> ${toJsonb(metadata)}`)
  if (ids !== undefined) {
    const list = sql.join(
      ids.map((id) => sql`${id}::uuid`),
      sql`, `,
    )
    conditions.push(ids.length === 0 ? sql`false` : sql`id in (${list})`)
  }
  return sql.join(conditions, sql` and `)
}
