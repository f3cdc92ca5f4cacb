import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isFull } from '../../support/scale.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const local = fileURLToPath(new URL('../../../.venv/bin/python', import.meta.url))

/** The interpreter that has the public clients; `undefined` where they are not installed. */
export const python = process.env.TOUCHSTONE_TEST_PYTHON ?? (existsSync(local) ? local : undefined)
if (python === undefined && process.env.CI === 'true')
  throw new Error('The Python clients are not installed; run npm test.')

const beside = (folder: string) => fileURLToPath(new URL(`../../../.venv/${folder}`, import.meta.url))

interface PythonVersion {
  readonly version: string
  readonly env: Record<string, string>
}

/**
 * The published clients that the suites run: the newest one and, in the full tests, the minor version before it, which is
 * installed in its own folder. The oldest has a suite of its own.
 */
export const PYTHON_CLIENTS: readonly PythonVersion[] = [
  { version: '0.15', env: {} },
  ...(isFull ? findVersion('0.14', 'previous') : []),
]

/** The newest LangChain, in its own folder, and in the full tests the one that pip resolves. */
export const PYTHON_LANGCHAINS: readonly PythonVersion[] = isFull
  ? [{ version: '1.7', env: {} }, ...findVersion('1.8', 'langchain')]
  : findVersion('1.8', 'langchain')

function findVersion(version: string, folder: string): PythonVersion[] {
  return existsSync(beside(folder)) ? [{ version, env: { PYTHONPATH: beside(folder) } }] : []
}

/**
 * Folders of frameworks with dependencies of their own, for PYTHONPATH; `undefined` where one is not installed. All but the first
 * are there after `npm run test:full` only.
 */
export const PYTHON_FRAMEWORKS = {
  frameworks: findFolder('frameworks'),
  crewai: findFolder('crewai'),
  instrumentations: findFolder('instrumentations'),
  ag2: findFolder('ag2'),
}

function findFolder(folder: string): string | undefined {
  const path = beside(folder)
  return python !== undefined && existsSync(path) ? path : undefined
}

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
