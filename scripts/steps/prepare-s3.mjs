import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { reportMissing } from './report-missing.mjs'
import { root } from './root.mjs'
import { startProgram } from './start-program.mjs'

/** Folder of Moto, which `preparePython` installed. */
const packages = join(root, '.venv/s3')

/**
 * Starts a temporary S3 server for the tests of attachments: Moto, with its data in memory. A URL that is already set is
 * used instead.
 *
 * @param python  the interpreter of the virtual environment
 * @returns `env` for the tests, and `stop`
 */
export async function prepareS3(python) {
  const none = { env: {}, stop() {} }
  if (process.env.TOUCHSTONE_TEST_S3_URL) return none
  const args = ['-m', 'moto.server', '-H', '127.0.0.1', '-p', '0']
  const env = { ...process.env, PYTHONPATH: packages }
  const started = python && existsSync(packages) ? await startProgram('S3', python, args, { env }) : undefined
  if (started !== undefined) return { env: { TOUCHSTONE_TEST_S3_URL: started.url }, stop: started.stop }
  reportMissing('Moto was not found or could not be started: the tests with S3 are skipped.')
  return none
}
