import { changeExamples } from '../../datasets/examples/index.ts'
import { selectExampleIds } from '../store.ts'
import type { Action } from './action.ts'
import { existingExamples } from './existing-examples.ts'

/** Removes the next examples that a job made; earlier versions of the dataset keep them. */
export const undo: Action = async (deps, job, wish) => {
  const page = await selectExampleIds(deps.relational.db, wish.undoes!, Number(job.cursor ?? -1))
  if (page === undefined) return { done: 0, failures: [], next: undefined }
  const there = await existingExamples(deps, job.tenant_id, page.example_ids)
  const changes = [...there].map((id) => ({ do: 'delete' as const, id }))
  if (changes.length > 0) await changeExamples(deps, job.tenant_id, { id: wish.datasetId! }, changes)
  return { done: page.example_ids.length, failures: [], next: String(page.number) }
}
