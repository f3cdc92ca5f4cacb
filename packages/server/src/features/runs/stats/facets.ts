import { FACETS, RunConditions, type RunFacet, type RunFacets, type RunFacetsQuery } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { ERROR_GROUP } from '../../../storage/analytics/error-expressions.ts'
import { type Fragment, join, literal, sql, text, uint } from '../../../storage/analytics/sql.ts'
import { columns, count, type RowOf, text as string } from '../../../storage/rows.ts'
import { whereRuns } from '../index.ts'

type Facet = (typeof FACETS)[number]

/** SQL of the `(facet, value)` pairs of a run; metadata strings keep their leading `"`. */
const PAIRS: Readonly<Record<Facet, string>> = {
  run_type: "[('run_type', toString(run_type))]",
  status: "[('status', toString(status))]",
  name: "[('name', name)]",
  model: "if(model = '', [], [('model', toString(model))])",
  tag: "arrayMap(tag -> ('tag', tag), arrayDistinct(tags))",
  metadata_key: "arrayMap(key -> ('metadata_key', key), arrayDistinct(metadata.key))",
  error: `if(error_line = '', [], [('error', ${ERROR_GROUP})])`,
}

const FACET_ROW = columns({ facet: string, value: string, n: count, errors: count, total: count })

type FacetRow = RowOf<typeof FACET_ROW>

/** Counts the values of attributes among the runs of a query in one pass, the most frequent first. */
export async function readFacets(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunFacetsQuery,
): Promise<RunFacets> {
  const names = query.facets ?? FACETS.filter((name) => name !== 'error')
  const keys = query.metadata_keys ?? []
  const pairs = [...names.map((name) => literal(PAIRS[name])), ...keys.map(selectMetadataPairs)]
  if (pairs.length === 0) return { facets: [] }
  const rows = await analytics.query(
    sql`
    select facet, value, n, errors, total
    from (
      select facet, value, n, errors,
        row_number() over (partition by facet order by n desc, value) as place,
        count() over (partition by facet) as total
      from (
        select pair.1 as facet, pair.2 as value, count() as n, countIf(failed) as errors
        from (
          select status = 'error' as failed, arrayJoin(arrayConcat(${join(pairs, ', ')})) as pair
          from runs final
          where ${whereRuns(tenantId, query)}
        )
        ${query.contains ? sql`where positionCaseInsensitiveUTF8(pair.2, ${text(query.contains)}) > 0` : literal('')}
        group by facet, value
      )
    )
    where place <= ${uint(query.limit)}
    order by facet, place`,
    FACET_ROW,
  )
  const order = [...names, ...keys.map((key) => `metadata.${key}`)]
  return {
    facets: order.map((key) => {
      const found = rows.filter((row) => row.facet === key)
      return { key, total: found[0]?.total ?? 0, values: found.map((row) => presentValue(key, row)) }
    }),
  }
}

/** The most frequent values of every attribute in one list. */
export async function readFacetList(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunConditions,
): Promise<RunFacet[]> {
  const { facets } = await readFacets(deps, tenantId, { ...query, limit: 20 })
  return facets.flatMap(({ values }) => values.map(({ errors: _, ...value }) => value))
}

function selectMetadataPairs(key: string): Fragment {
  return sql`arrayMap(value -> (concat('metadata.', ${text(key)}), value), arrayDistinct(
            arrayFilter((value, name) -> name = ${text(key)}, metadata.value, metadata.key)))`
}

function presentValue(key: string, row: FacetRow): RunFacet & { errors: number } {
  const isText = !key.startsWith('metadata.') || row.value.startsWith('"')
  const value = key.startsWith('metadata.') && isText ? row.value.slice(1) : row.value
  return {
    key,
    value,
    query: toFilter(key, isText ? JSON.stringify(value) : value),
    n: row.n,
    errors: row.errors,
  }
}

/** The filter that finds the runs with a value, given as a literal of the filter language. */
function toFilter(key: string, value: string): string {
  if (key === 'tag') return `has(tags, ${value})`
  if (key === 'error') return `eq(error_group, ${value})`
  if (!key.startsWith('metadata.')) return `eq(${key}, ${value})`
  return `and(eq(metadata_key, ${JSON.stringify(key.slice('metadata.'.length))}), eq(metadata_value, ${value}))`
}

const MAX_KEYS = 20

/** The most frequent values of each key of metadata among the runs of a project. */
export async function readProjectMetadata(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  options: {
    readonly projectId: string
    readonly keys?: readonly string[] | undefined
    readonly values: number
    readonly rootsOnly: boolean
    readonly since?: string | undefined
  },
): Promise<Record<string, string[]>> {
  const runs = RunConditions.parse({
    session: [options.projectId],
    is_root: options.rootsOnly ? true : undefined,
    start_time: options.since,
  })
  const keys = options.keys ?? (await selectFrequentKeys(deps, tenantId, runs))
  const query = { ...runs, facets: [], metadata_keys: [...keys], limit: options.values }
  const { facets } = await readFacets(deps, tenantId, query)
  return Object.fromEntries(keys.map((key, at) => [key, (facets[at]?.values ?? []).map(({ value }) => value)]))
}

async function selectFrequentKeys(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  runs: RunConditions,
): Promise<string[]> {
  const { facets } = await readFacets(deps, tenantId, { ...runs, facets: ['metadata_key'], limit: MAX_KEYS })
  return facets.flatMap(({ values }) => values.map(({ value }) => value))
}
