import type { ExampleConditions, ExperimentSearchQuery } from '@touchstone/contract'
import { and, sql as relationalSql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { sql, texts } from '../../storage/analytics/sql.ts'
import { columns, list, text } from '../../storage/rows.ts'
import { exampleStates, isInNewestVersion, toConditions } from '../datasets/examples/index.ts'
import { getDataset } from '../datasets/index.ts'
import { matchesRoots } from './read-scores.ts'

/**
 * Ids of the examples whose inputs or outputs contain a text, or the output or error of one of whose runs does, and that
 * satisfy a filter of examples.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset, FilterError for a filter that cannot be read
 */
export async function searchExperiments(
  deps: Pick<Deps, 'analytics' | 'relational'>,
  tenantId: string,
  datasetId: string,
  { session_ids, text: wanted, filter }: ExperimentSearchQuery,
): Promise<string[]> {
  await getDataset(deps, tenantId, datasetId)
  const select = (conditions: Conditions) => selectExampleIds(deps, tenantId, datasetId, conditions)
  const [withText, ofRuns, matching] = await Promise.all([
    wanted == null ? [] : select({ full_text_contains: [wanted] }),
    wanted == null ? [] : selectExampleIdsOfRuns(deps, tenantId, session_ids, wanted),
    filter == null ? undefined : select({ filter }),
  ])
  const found = new Set([...withText, ...ofRuns])
  if (matching === undefined) return [...found]
  return wanted == null ? matching : matching.filter((id) => found.has(id))
}

type Conditions = Pick<ExampleConditions, 'full_text_contains' | 'filter'>

/** Read as one text: ten thousand rows take five times as long. */
async function selectExampleIds(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  datasetId: string,
  conditions: Conditions,
): Promise<string[]> {
  const [row] = await relational.db
    .select({ ids: relationalSql<string | null>`string_agg(${exampleStates.example_id}::text, ',')` })
    .from(exampleStates)
    .where(and(isInNewestVersion(tenantId, datasetId), toConditions(tenantId, conditions)))
  return row?.ids ? row.ids.split(',') : []
}

/** Some clients escape characters beyond ASCII in JSON, so outputs are searched in two spellings. */
async function selectExampleIdsOfRuns(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  sessionIds: readonly string[],
  wanted: string,
): Promise<readonly string[]> {
  const asJson = JSON.stringify(wanted).slice(1, -1)
  const asAscii = asJson.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const [row] = await analytics.query(
    sql`
    select groupUniqArray(assumeNotNull(reference_example_id)) as ids
    from runs final
    where ${matchesRoots(tenantId, sessionIds)}
      and (multiSearchAnyCaseInsensitiveUTF8(outputs, ${texts([asJson, asAscii])})
        or multiSearchAnyCaseInsensitiveUTF8(error, ${texts([wanted])}))`,
    columns({ ids: list(text) }),
  )
  return row?.ids ?? []
}
