import { type SQL, sql } from 'drizzle-orm'
import { arrayLiteral, isAnyOf, longTextColumn, textColumn } from '../../../storage/relational/columns.ts'
import { toRows } from '../../../storage/relational/migrate.ts'
import type { Database, Relational } from '../../../storage/relational/port.ts'
import { exampleStates } from '../../../storage/relational/tables/datasets.ts'
import { columns, ID_ROW, number, text, truth } from '../../../storage/rows.ts'
import { type ExampleContent, metadataIndex } from './example-content.ts'
import { isNewest, isValidAt } from './select-examples.ts'

/** The content of an example from a version on. */
export interface NewState {
  readonly id: string
  readonly number: number
  /** Creation time of the example. */
  readonly created_at: string
  readonly content: ExampleContent
}

/** A stored state. */
export interface StoredState extends NewState {
  /** The version that changed the example last. */
  readonly as_of: Date
}

export interface StateKey {
  readonly tenantId: string
  readonly datasetId: string
  readonly version: Date
}

/**
 * Reserves ids for new examples of a dataset.
 *
 * @returns the ids that were free
 */
export async function takeIds(
  tx: Database,
  { tenantId, datasetId }: StateKey,
  unordered: readonly NewState[],
): Promise<Set<string>> {
  // In a fixed order, because two requests with the same ids in different orders would wait for each other.
  const states = [...unordered].sort((one, other) => (one.id < other.id ? -1 : 1))
  const result = await tx.execute(sql`
    insert into examples (tenant_id, dataset_id, id, number, created_at)
    select ${tenantId}::uuid, ${datasetId}::uuid, id::uuid, number::bigint, created_at::timestamptz
    from unnest(
      ${textColumn(states.map(({ id }) => id))},
      ${textColumn(states.map(({ number }) => String(number)))},
      ${textColumn(states.map(({ created_at }) => created_at))}
    ) as given (id, number, created_at)
    on conflict do nothing
    returning id`)
  return new Set(toRows(result, ID_ROW).map((row) => row.id))
}

/** @param relational  within the transaction of the change */
export async function insertStates(
  relational: Relational,
  { tenantId, datasetId, version }: StateKey,
  states: readonly NewState[],
): Promise<void> {
  const column = (value: (state: NewState) => string | null) => textColumn(states.map(value))
  const longColumn = (value: (state: NewState) => string | null) => longTextColumn(relational, states.map(value))
  const inputs = await longColumn(({ content }) => content.inputs)
  const outputs = await longColumn(({ content }) => content.outputs)
  const metadata = await longColumn(({ content }) => content.metadata)
  await relational.db.execute(sql`
    insert into example_states (
      tenant_id, dataset_id, as_of, example_id, number, created_at, inputs, outputs, metadata, metadata_index, splits,
      source_run_id, attachments)
    select ${tenantId}::uuid, ${datasetId}::uuid, ${version.toISOString()}::timestamptz, id::uuid, number::bigint,
      created_at::timestamptz, inputs, outputs, metadata, metadata_index::jsonb, splits::text[], source_run_id::uuid,
      attachments
    from unnest(
      ${column(({ id }) => id)},
      ${column(({ number }) => String(number))},
      ${column(({ created_at }) => created_at)},
      ${inputs}, ${outputs}, ${metadata},
      ${column(({ content }) => metadataIndex(content.metadata, content.splits))},
      ${column(({ content }) => arrayLiteral(content.splits))},
      ${column(({ content }) => content.source_run_id)},
      ${column(({ content }) => JSON.stringify(content.attachments))}
    ) as given (id, number, created_at, inputs, outputs, metadata, metadata_index, splits, source_run_id, attachments)`)
}

/** Ends the states of these examples at the version. */
export async function endStates(tx: Database, at: StateKey, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.execute(sql`
    update example_states
    set until = ${at.version.toISOString()}::timestamptz
    where dataset_id = ${at.datasetId} and tenant_id = ${at.tenantId} and ${isAnyOf(sql`example_id`, ids)}
      and until = 'infinity'`)
}

/** The states of examples in the newest version, by id; other ids are left out. */
export function selectNewestStates(
  tx: Database,
  dataset: Pick<StateKey, 'tenantId' | 'datasetId'>,
  ids: readonly string[],
): Promise<Map<string, StoredState>> {
  return selectStates(tx, dataset, ids, isNewest)
}

/** Those of the ids that the newest version contains. */
export async function selectNewestIds(
  tx: Database,
  { tenantId, datasetId }: Pick<StateKey, 'tenantId' | 'datasetId'>,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await tx.execute(sql`
    select example_id as id from ${exampleStates}
    where dataset_id = ${datasetId} and tenant_id = ${tenantId}
      and ${isAnyOf(exampleStates.example_id, ids)} and ${isNewest}`)
  return toRows(rows, ID_ROW).map(({ id }) => id)
}

/** An example that is not today as it was in a version. */
export interface DifferentExample {
  readonly id: string
  /** Size of its JSON in that version. */
  readonly bytes: number
  /** Whether the newest version contains it. */
  readonly exists: boolean
}

const DIFFERENT_ROW = columns({ id: text, bytes: number, exists: truth })

/** Those of the examples whose content in a version differs from their newest one, or that were deleted since. */
export async function selectDifferent(
  tx: Database,
  { tenantId, datasetId, version }: StateKey,
  ids: readonly string[],
): Promise<DifferentExample[]> {
  if (ids.length === 0) return []
  const content = (state: string) =>
    sql.raw(['inputs', 'outputs', 'metadata', 'splits', 'attachments'].map((name) => `${state}.${name}`).join(', '))
  const at = sql`${version.toISOString()}::timestamptz`
  const rows = await tx.execute(sql`
    select old.example_id as id, newest.example_id is not null as exists,
      octet_length(old.inputs) + coalesce(octet_length(old.outputs), 0) + octet_length(old.metadata) as bytes
    from example_states as old
    left join example_states as newest
      on newest.dataset_id = old.dataset_id and newest.tenant_id = old.tenant_id
        and newest.example_id = old.example_id and newest.until = 'infinity'
    where old.dataset_id = ${datasetId} and old.tenant_id = ${tenantId} and ${isAnyOf(sql`old.example_id`, ids)}
      and old.as_of <= ${at} and old.until > ${at}
      and row(${content('old')}) is distinct from row(${content('newest')})`)
  return toRows(rows, DIFFERENT_ROW)
}

/** The states of examples in a version, by id; other ids are left out. */
export function selectStatesAt(tx: Database, at: StateKey, ids: readonly string[]): Promise<Map<string, StoredState>> {
  return selectStates(tx, at, ids, isValidAt(at.version.toISOString()))
}

async function selectStates(
  tx: Database,
  { tenantId, datasetId }: Pick<StateKey, 'tenantId' | 'datasetId'>,
  ids: readonly string[],
  isValid: SQL,
): Promise<Map<string, StoredState>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .select({
      id: exampleStates.example_id,
      number: exampleStates.number,
      created_at: exampleStates.created_at,
      as_of: exampleStates.as_of,
      inputs: exampleStates.inputs,
      outputs: exampleStates.outputs,
      metadata: exampleStates.metadata,
      splits: exampleStates.splits,
      source_run_id: exampleStates.source_run_id,
      attachments: exampleStates.attachments,
    })
    .from(exampleStates)
    .where(
      sql`${exampleStates.dataset_id} = ${datasetId} and ${exampleStates.tenant_id} = ${tenantId}
        and ${isAnyOf(exampleStates.example_id, ids)} and ${isValid}`,
    )
  return new Map(
    rows.map(({ id, number, created_at, as_of, attachments, ...content }) => [
      id,
      { id, number, created_at, as_of, content: { ...content, attachments: JSON.parse(attachments) } },
    ]),
  )
}
