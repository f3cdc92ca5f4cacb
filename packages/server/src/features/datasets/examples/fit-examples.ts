import { ExampleUpdate, parseUuid } from '@touchstone/contract'
import { and, sql } from 'drizzle-orm'
import { splitMembers } from '../../../json/cut-json.ts'
import { exampleStates } from '../../../storage/relational/tables/datasets.ts'
import type { AlignExamples } from '../index.ts'
import { openPreparer } from '../schemas/index.ts'
import { changeExamples } from './change-examples.ts'
import { ExampleProblems } from './problems.ts'
import { toUpdate } from './read-bodies.ts'
import { isInNewestVersion } from './select-examples.ts'

/**
 * Updates examples along with their dataset, and holds all of them against its schemas when those are new.
 *
 * @throws ApiError INVALID_REQUEST naming every example that does not fit
 */
export const alignExamples: AlignExamples = async (deps, tenantId, dataset, { patches, isSchemaNew }) => {
  if (patches !== undefined) {
    const changes = readPatches(patches)
    if (changes.length > 0) await changeExamples(deps, tenantId, dataset, changes)
  }
  if (!isSchemaNew) return
  const problems = new ExampleProblems()
  const check = openPreparer({ ...dataset, transformations: null })
  for (let after = ''; ; ) {
    const rows = await deps.relational.db
      .select({ id: exampleStates.example_id, inputs: exampleStates.inputs, outputs: exampleStates.outputs })
      .from(exampleStates)
      .where(
        and(
          isInNewestVersion(tenantId, dataset.id),
          after === '' ? undefined : sql`${exampleStates.example_id} > ${after}::uuid`,
        ),
      )
      .orderBy(exampleStates.example_id)
      .limit(500)
    for (const { id, ...payloads } of rows) {
      for (const { path, message } of check(payloads).violations) {
        problems.add('INVALID_REQUEST', [id, ...path.split('/').filter((step) => step !== '')], message)
      }
    }
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.id
  }
  problems.throwIfAny()
}

function readPatches(text: string) {
  const problems = new ExampleProblems()
  const changes = [...splitMembers(text)].flatMap(([key, patch]) => {
    const id = parseUuid(key)
    if (id === undefined) problems.add('INVALID_REQUEST', [key.slice(0, 100)], 'is not the id of an example')
    const read = ExampleUpdate.safeParse(JSON.parse(patch))
    for (const { path, message } of read.error?.issues ?? []) {
      problems.add('INVALID_REQUEST', [key.slice(0, 100), ...path.map(String)], message)
    }
    return id === undefined || !read.success ? [] : [toUpdate(id, read.data, patch)]
  })
  problems.throwIfAny()
  return changes
}
