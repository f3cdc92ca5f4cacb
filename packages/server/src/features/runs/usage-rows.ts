import { type Fragment, literal, sql, uuid } from '../../storage/analytics/sql.ts'

/**
 * Ids of llm runs that repeat the usage of a direct child: both report the same tokens, and the child's count. May include
 * runs that report no usage. Few runs may repeat, and the ids of all parents would be a large set.
 *
 * @param scope  condition on rows of `project_usage`
 */
export function selectRepeated(scope: Fragment): Fragment {
  return sql`
          select assumeNotNull(parent_run_id) from project_usage final
          where ${scope} and parent_run_id is not null and total_tokens is not null
            and (may_repeat or parent_run_id in (
              select toNullable(id) from project_usage final where ${scope} and parent_run_id is null and is_llm))`
}

export interface UsageSelection {
  readonly tenantId: string
  /** Column of `project_usage`. */
  readonly column: string
  /** Condition on rows of `project_usage`; contains the owner. */
  readonly scope: Fragment
  /** A wider condition that takes the engine less time; it contains the runs of all traces of the scope. @default the scope */
  readonly window?: Fragment
  /** Only the totals of roots are wanted. */
  readonly onlyRoots: boolean
}

/**
 * The usage that runs reported, once for each run that it counts for: `above`, which is the run itself or an ancestor, and
 * the column. Usage that repeats is left out.
 *
 * The usage of a root is that of its trace. Other runs also have usage of their own. Only usage deeper in a trace needs the
 * wider table, which has the ancestors of a run in its dotted order.
 */
export function selectUsageAbove(selection: UsageSelection): Fragment {
  const { tenantId, scope, window = scope, onlyRoots } = selection
  const column = literal(selection.column)
  const counted = sql`${column} is not null and not (is_llm and id in (${selectRepeated(window)}))`
  if (onlyRoots) {
    return sql`
        select ${column}, if(parent_run_id is null, id, trace_id) as above
        from project_usage final
        where ${scope} and ${counted}`
  }
  const deep = sql`
          tenant_id = ${uuid(tenantId)} and (trace_id, id) in (
            select trace_id, id from project_usage final where ${scope} and ${IS_DEEP} and ${counted})`
  return sql`
          select ${column}, arrayJoin(arrayDistinct([id, trace_id])) as above
          from project_usage final
          where ${scope} and not ${IS_DEEP} and ${counted}
          union all
          select ${column},
            arrayJoin(arrayDistinct(arrayPushBack(
              arrayMap(segment -> toUUIDOrZero(right(segment, 36)), splitByChar('.', dotted_order)), trace_id))) as above
          from trace_runs final
          where ${deep}`
}

/** Below another run than the root. */
const IS_DEEP = literal('(parent_run_id is not null and parent_run_id != trace_id)')
