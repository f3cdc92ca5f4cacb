import { randomHex } from '../evaluation/start-experiment.ts'
import { builtin } from '../runtime/runtime.ts'
import type { KVMap } from '../schemas.ts'
import type { TestFeedback } from './types.ts'

/**
 * Result of a test for the reporter, which runs in another process. Tests write one file each to a folder that the
 * reporter announces in the environment of its workers. Without a reporter nothing is written.
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

/** Creates the folder and announces it to future workers. */
export function createRecordFolder(): string {
  const { fs, os, path } = getNodeModules()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'touchstone-test-results-'))
  process.env[FOLDER] = folder
  return folder
}

export function writeRecord(record: TestRecord): void {
  const folder = globalThis.process?.env?.[FOLDER]
  const [fs, path] = [builtin('node:fs'), builtin('node:path')]
  if (!folder || !fs || !path) return
  try {
    // The time in the name keeps the order in which tests ended.
    fs.writeFileSync(path.join(folder, `${Date.now()}-${randomHex(8)}.json`), JSON.stringify(record))
  } catch {
    // The table is optional: outputs that cannot be serialized must not fail a passing test.
  }
}

/** Reads and deletes all records written since the last call. */
export function takeRecords(folder: string): TestRecord[] {
  const { fs, path } = getNodeModules()
  const names = fs.readdirSync(folder).sort()
  return names.map((name) => {
    const file = path.join(folder, name)
    const record = JSON.parse(fs.readFileSync(file, 'utf8')) as TestRecord
    fs.rmSync(file)
    return record
  })
}

/** The reporters run in Node.js only. */
function getNodeModules() {
  const [fs, os, path] = [builtin('node:fs'), builtin('node:os'), builtin('node:path')]
  if (!fs || !os || !path) throw new Error('The reporter needs the file system of Node.js.')
  return { fs, os, path }
}

export function removeRecordFolder(folder: string): void {
  getNodeModules().fs.rmSync(folder, { recursive: true, force: true })
}
