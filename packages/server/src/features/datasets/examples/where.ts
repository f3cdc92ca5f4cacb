import { EXAMPLE_FILTERS, type ExampleConditions, parseFilter, parseTime } from '@touchstone/contract'
import { and, eq, or, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { isStorable } from '../../../storage/relational/columns.ts'
import { arrayLiteral, isAnyOf } from '../../../storage/relational/columns-of-rows.ts'
import { filterToSql, toJsonb } from '../../../storage/relational/filter.ts'
import { containsPattern } from '../../../storage/relational/like.ts'
import { readMetadataQuery } from '../../../storage/relational/metadata-query.ts'
import { exampleStates } from '../../../storage/relational/tables/datasets.ts'
import { type DatasetRow, resolveVersion } from '../index.ts'
import { holdsAt, isNewest, statesAt } from './states.ts'

const FILTERED = { fields: {}, metadata: sql`${exampleStates.metadata_index}` }

/** The conditions of a query besides those that say of which version. */
export function conditionsOf(tenantId: string, query: Partial<ExampleConditions>): SQL {
  const { id, splits, metadata, filter, full_text_contains: texts } = query
  const parsed = parseFilter(filter ?? '', EXAMPLE_FILTERS)
  return and(
    eq(exampleStates.tenant_id, tenantId),
    id && isAnyOf(exampleStates.example_id, id),
    splits && sql`${exampleStates.splits} && ${arrayLiteral(splits.filter(isStorable))}::text[]`,
    metadata === undefined
      ? undefined
      : sql`${exampleStates.metadata_index} @> ${toJsonb(readMetadataQuery(metadata))}`,
    parsed && filterToSql(parsed, FILTERED),
    ...(texts ?? []).map(occurs),
  )!
}

/**
 * The states of a query that names examples but no dataset. An instant means the same in every dataset; a tag is that of
 * each.
 */
export async function statesOfIds(
  deps: Pick<Deps, 'relational'>,
  datasets: readonly DatasetRow[],
  asOf: string | undefined,
): Promise<SQL> {
  const ofDatasets = isAnyOf(
    exampleStates.dataset_id,
    datasets.map((dataset) => dataset.id),
  )
  if (asOf === undefined || asOf === 'latest') return and(ofDatasets, isNewest)!
  const instant = parseTime(asOf)
  if (instant !== undefined) return and(ofDatasets, holdsAt(instant))!
  const states = await Promise.all(
    datasets.map(async (one) => statesAt(one.tenant_id, one.id, await resolveVersion(deps, one, asOf))),
  )
  return or(...states, sql`false`)!
}

/**
 * Whether a text stands in inputs or outputs, in any case. Some clients write JSON with characters beyond ASCII
 * escaped, so it may stand there in three spellings.
 */
function occurs(text: string): SQL {
  const asJson = JSON.stringify(text).slice(1, -1)
  const asAscii = asJson.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const spellings = [...new Set([text, asJson, asAscii])].filter(isStorable)
  const found = spellings.flatMap((one) => {
    const pattern = containsPattern(one)
    return [sql`${exampleStates.inputs} ilike ${pattern}`, sql`${exampleStates.outputs} ilike ${pattern}`]
  })
  return sql`(coalesce(${or(...found)}, false))`
}
