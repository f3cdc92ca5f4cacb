import { splitMembers } from '../../../json/cut-json.ts'
import { printObject } from '../../../json/write-object.ts'
import { type ExampleRow, presentExample } from '../../datasets/examples/index.ts'
import { type DatasetRow, presentDataset } from '../../datasets/index.ts'
import { type ListedProject, presentProject } from '../../projects/index.ts'

const PRIVATE_OF_DATASET = ['tenant_id', 'session_count', 'last_session_start_time', 'modified_at', 'metadata']

/** A dataset as a public reader sees it. */
export function presentPublicDataset(row: DatasetRow): string {
  return without(presentDataset({ row, sessionCount: 0, lastSessionStartTime: null }), PRIVATE_OF_DATASET)
}

/** An example as a public reader sees it: the run it came from is nobody's business. */
export function presentPublicExample(row: ExampleRow, urlOf: Parameters<typeof presentExample>[1]): string {
  return without(presentExample(row, urlOf), ['source_run_id'])
}

export function presentPublicProject({ row, stats }: ListedProject): string {
  return without(presentProject(row, stats), ['tenant_id', 'default_dataset_id'])
}

/** The text of an object without some of its members. */
export function without(text: string, keys: readonly string[]): string {
  const members = splitMembers(text)
  for (const key of keys) members.delete(key)
  return printObject(members)
}
