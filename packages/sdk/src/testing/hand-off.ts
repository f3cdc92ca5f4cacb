import { randomHex } from '../evaluation/start-experiment.ts'
import { builtin } from '../runtime/runtime.ts'
import type { KVMap } from '../schemas.ts'
import type { TestFeedback } from './types.ts'

/**
 * What a test leaves for the reporter, which lives in another process: a file each, in a folder that the reporter names in
 * the environment its workers inherit. Without a reporter nothing is written.
 */
export interface TestRecord {
  suite: string
  test: string
  status: 'pass' | 'fail'
  inputs: KVMap
  referenceOutputs: KVMap
  outputs: KVMap | undefined
  feedback: TestFeedback[]
  url: string | undefined
}

const FOLDER = 'TOUCHSTONE_TEST_RESULTS_DIR'

/** Makes the folder and tells it to the workers to come. */
export function openFolder(): string {
  const [fs, os, path] = [builtin('node:fs')!, builtin('node:os')!, builtin('node:path')!]
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'touchstone-test-results-'))
  process.env[FOLDER] = folder
  return folder
}

export function leaveRecord(record: TestRecord): void {
  const folder = globalThis.process?.env?.[FOLDER]
  const [fs, path] = [builtin('node:fs'), builtin('node:path')]
  if (!folder || !fs || !path) return
  try {
    // By time, so that the table keeps the order in which tests ended.
    fs.writeFileSync(path.join(folder, `${Date.now()}-${randomHex(8)}.json`), JSON.stringify(record))
  } catch {
    // The table is a courtesy; outputs that are no JSON must not fail a test that passed.
  }
}

/** Everything that was left since the last time; the files are gone afterwards. */
export function takeRecords(folder: string): TestRecord[] {
  const [fs, path] = [builtin('node:fs')!, builtin('node:path')!]
  const names = fs.readdirSync(folder).sort()
  return names.map((name) => {
    const file = path.join(folder, name)
    const record = JSON.parse(fs.readFileSync(file, 'utf8')) as TestRecord
    fs.rmSync(file)
    return record
  })
}

export function removeFolder(folder: string): void {
  builtin('node:fs')!.rmSync(folder, { recursive: true, force: true })
}
