import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { bigint, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { textColumn, version } from '../../../storage/relational/columns.ts'
import { getFirst, toRow, toRows } from '../../../storage/relational/migrate.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { columns, ID_ROW, list, number } from '../../../storage/rows.ts'
import { exampleStates } from '../examples/index.ts'

const indexes = pgTable('dataset_indexes', {
  dataset_id: uuid().notNull(),
  number: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
  tag: text().notNull(),
  indexed_version: version(),
})
export type IndexRow = typeof indexes.$inferSelect

export async function selectIndex(db: Database, datasetId: string): Promise<IndexRow | undefined> {
  const [row] = await db.select().from(indexes).where(eq(indexes.dataset_id, datasetId))
  return row
}

/** @param tag  undefined keeps the tag of an existing index */
export async function putIndex(db: Database, datasetId: string, tag: string | undefined): Promise<IndexRow> {
  const rows = await db
    .insert(indexes)
    .values({ dataset_id: datasetId, tag: tag ?? 'latest' })
    .onConflictDoUpdate({ target: indexes.dataset_id, set: tag === undefined ? { dataset_id: datasetId } : { tag } })
    .returning()
  return getFirst(rows)
}

export async function setIndexedVersion(db: Database, datasetId: string, indexed: Date): Promise<void> {
  await db.update(indexes).set({ indexed_version: indexed }).where(eq(indexes.dataset_id, datasetId))
}

export async function deleteIndex(db: Database, datasetId: string): Promise<void> {
  await db.delete(indexes).where(eq(indexes.dataset_id, datasetId))
  await db.execute(sql`delete from example_words where dataset_id = ${datasetId}`)
}

/** Characters of inputs that are indexed; the rest of a very long text adds little. */
const MAX_READ = 100_000

export interface StateText {
  readonly id: string
  readonly as_of: Date
  /** Truncated when it is long. */
  readonly inputs: string
}

/** States that match a condition, by example id. */
export function selectTexts(db: Database, states: SQL, after: string | undefined, limit: number): Promise<StateText[]> {
  return db
    .select({
      id: exampleStates.example_id,
      as_of: exampleStates.as_of,
      inputs: sql<string>`left(${exampleStates.inputs}, ${MAX_READ})`,
    })
    .from(exampleStates)
    .where(and(states, after === undefined ? undefined : gt(exampleStates.example_id, after)))
    .orderBy(asc(exampleStates.example_id))
    .limit(limit)
}

export interface StateWords {
  readonly id: string
  readonly as_of: Date
  readonly words: readonly string[]
}

/** Stores the words of states; skips states that were erased in between. */
export async function putWords(db: Database, datasetId: string, rows: readonly StateWords[]): Promise<void> {
  if (rows.length === 0) return
  const ids = textColumn(rows.map((row) => row.id))
  const versions = textColumn(rows.map((row) => row.as_of.toISOString()))
  const words = textColumn(rows.map((row) => row.words.join(' ') || null))
  await db.execute(sql`
    insert into example_words (dataset_id, example_id, as_of, words)
    select s.dataset_id, s.example_id, s.as_of, array_to_tsvector(string_to_array(coalesce(given.words, ''), ' '))
    from unnest(${ids}, ${versions}, ${words}) as given (id, as_of, words)
    join example_states s on s.dataset_id = ${datasetId} and s.example_id = given.id::uuid
      and s.as_of = given.as_of::timestamptz
    on conflict (dataset_id, example_id, as_of) do update set words = excluded.words`)
}

/** Frequencies of words, estimated from a sample of the dataset, and the mean length of its examples. */
export interface WordSample {
  readonly examples: number
  readonly meanLength: number
  readonly counts: readonly number[]
}

const SAMPLE = 2_000

export async function sampleWords(
  db: Database,
  datasetId: string,
  states: SQL,
  words: readonly string[],
): Promise<WordSample> {
  const counts = words.map((word) => sql`count(*) filter (where words @@ ${lexeme(word)}::tsquery)`)
  const result = await db.execute(sql`
    select count(*)::int as examples, coalesce(avg(length(words)), 1)::float8 as mean_length,
      array[${sql.join(counts, sql`, `)}]::int[] as counts
    from (
      select w.words
      from example_words w
      join example_states on ${sameState}
      where w.dataset_id = ${datasetId} and ${states}
      limit ${SAMPLE}
    ) as sampled`)
  const {
    examples,
    mean_length,
    counts: found,
  } = toRow(result, columns({ examples: number, mean_length: number, counts: list(number) }))
  return { examples, meanLength: mean_length, counts: found }
}

const sameState = sql`${exampleStates.dataset_id} = w.dataset_id and ${exampleStates.example_id} = w.example_id
        and ${exampleStates.as_of} = w.as_of`

export interface WeighedWord {
  readonly word: string
  readonly weight: number
}

/** Rows that are scored; with more, the words are too common to be useful. */
const MAX_CANDIDATES = 20_000

/**
 * Examples by the number of matching words. Rare words count more and long examples less (BM25 with a word present or
 * absent).
 *
 * @param rare  words that select candidates; examples with all words are candidates too
 */
export async function selectMatches(
  db: Database,
  datasetId: string,
  states: SQL,
  {
    words,
    rare,
    meanLength,
    limit,
  }: {
    readonly words: readonly WeighedWord[]
    readonly rare: readonly string[]
    readonly meanLength: number
    readonly limit: number
  },
): Promise<{ readonly id: string }[]> {
  const all = words.map(({ word }) => lexeme(word)).join(' & ')
  const any = rare.map(lexeme).join(' | ')
  const sum = sql.join(
    words.map(
      ({ word, weight }) => sql`case when w.words @@ ${lexeme(word)}::tsquery then ${weight}::float8 else 0 end`,
    ),
    sql` + `,
  )
  const found = (query: string) => sql`(
      select w.example_id, w.as_of, w.words, ${exampleStates.number}
      from example_words w
      join example_states on ${sameState}
      where w.words @@ ${query}::tsquery and w.dataset_id = ${datasetId} and ${states}
      limit ${MAX_CANDIDATES})`
  const result = await db.execute(sql`
    select w.example_id as id, (${sum}) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length(w.words) / ${Math.max(meanLength, 1)}::float8)) as score
    from (${found(all)} union ${found(any)}) as w
    order by score desc, w.number, w.example_id
    limit ${limit}`)
  return toRows(result, ID_ROW)
}

/** A word in tsquery syntax. */
function lexeme(word: string): string {
  return `'${word.replaceAll(/['\\]/g, '$&$&')}'`
}
