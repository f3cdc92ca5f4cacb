import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const local = fileURLToPath(new URL('../../../.venv/bin/python', import.meta.url))

/** The interpreter that has the public clients; `undefined` where they are not installed. */
export const python = process.env.TOUCHSTONE_TEST_PYTHON ?? (existsSync(local) ? local : undefined)
if (python === undefined && process.env.CI === 'true')
  throw new Error('The Python clients are not installed; run npm test.')

/** Runs one of the scripts beside this file against a server; the JSON it prints is the answer. */
export async function runScript<Answer>(
  script: string,
  task: object,
  serverUrl: string,
  env: Record<string, string> = {},
): Promise<Answer> {
  const settings = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    LANGSMITH_ENDPOINT: `${serverUrl}/api/v1`,
    LANGSMITH_API_KEY: 'any key while the server is open',
    LANGSMITH_TRACING: 'true',
    ...env,
  }
  const printed = await new Promise<string>((resolve, reject) => {
    const args = ['-W', 'ignore', `${here}${script}.py`]
    const child = execFile(python!, args, { env: settings, maxBuffer: 1e9 }, (failure, stdout, stderr) =>
      failure ? reject(new Error(stderr || failure.message)) : resolve(stdout),
    )
    child.stdin!.end(JSON.stringify(task))
  })
  return JSON.parse(printed)
}
